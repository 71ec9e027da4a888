import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { CallAnswer, Described, Place, Tool, ToolPage } from '@/api/model'
import type { Loaded } from './tree'

export function usePlaces() {
  return useList<Place>(['places'], '/v1/tools/namespaces', { limit: '200', includeBlocked: 'true' })
}

function tools(query: Record<string, string>): Promise<ToolPage> {
  return call<ToolPage>('GET', `/v1/tools?${new URLSearchParams(query).toString()}`)
}

const part = 200
const most = 1_000 // tools of one namespace in the tree; who needs more searches

async function wholeNamespace(namespace: string): Promise<{ items: Tool[]; total: number }> {
  const items: Tool[] = []
  for (;;) {
    const page = await tools({ namespace, limit: part.toString(), offset: items.length.toString(), includeBlocked: 'true' })
    items.push(...page.items)
    if (!page.hasMore || page.items.length === 0 || items.length >= most) return { items, total: Math.max(page.total, items.length) }
  }
}

/** The tools of the namespaces that are open in the tree. */
export function useNamespaces(open: string[]): (namespace: string) => Loaded {
  const all = useQueries({ queries: open.map((ns) => ({ queryKey: ['tools', 'of', ns], queryFn: () => wholeNamespace(ns), staleTime: 30_000 })) })
  return (namespace) => {
    const q = all[open.indexOf(namespace)]
    return q?.data ?? (q?.error ? { error: q.error } : undefined)
  }
}

/** The value, once it has not changed for a moment. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, set] = useState(value)
  useEffect(() => {
    const t = setTimeout(() => { set(value) }, ms)
    return () => { clearTimeout(t) }
  }, [value, ms])
  return settled
}

/** Tools by relevance. The results before stay while new ones are on their way. */
export function useToolSearch(query: string, namespace?: string, limit = 40) {
  return useQuery({
    queryKey: ['tools', 'search', query, namespace ?? '', limit],
    queryFn: () => tools({ query, ...(namespace ? { namespace } : {}), limit: limit.toString(), includeBlocked: 'true' }),
    enabled: query !== '', staleTime: 10_000, placeholderData: keepPreviousData,
  })
}

/** The first tools there are, for examples. */
export function useSomeTools() {
  return useQuery({ queryKey: ['tools', 'some'], queryFn: () => tools({ limit: '100' }), staleTime: 60_000 })
}

export function useTool(path: string | undefined) {
  return useQuery({
    queryKey: ['tool', path], enabled: path !== undefined && path !== '', staleTime: 10_000,
    queryFn: () => call<Described>('GET', `/v1/tools/describe?${new URLSearchParams({ path: path ?? '', includeBlocked: 'true' }).toString()}`),
  })
}

export function useCallTool() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { path: string; args: unknown; key: string }) => call<CallAnswer>('POST', '/v1/tools/call', { path: v.path, args: v.args, via: 'console', waitSeconds: 10 }, { 'Idempotency-Key': v.key }),
    onSuccess: (x) => {
      if (!x.id) return
      queries.setQueryData(['execution', x.id], x)
      for (const key of ['runs', 'interactions']) void queries.invalidateQueries({ queryKey: [key] })
    },
  })
}

/** A signed address of a file that a tool gave, good for some minutes. */
export function useFileAddress() {
  return useMutation({ mutationFn: (id: string) => call<{ url: string; filename?: string }>('GET', `/v1/tools/files/${encodeURIComponent(id)}`) })
}
