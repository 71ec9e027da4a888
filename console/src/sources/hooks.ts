import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Drift, Found, Preview, Refreshed, Source, SourceChange, SourceDraft } from '@/api/model'

export function useSources() {
  return useList<Source>(['sources'], '/v1/sources')
}

export function useSource(slug: string) {
  return useQuery({ queryKey: ['source', slug], queryFn: () => call<Source>('GET', `/v1/sources/${slug}`) })
}

/** What changed upstream and waits for its owner. */
export function useDrift(slug: string, enabled: boolean) {
  return useList<Drift>(['source', slug, 'drift'], enabled ? `/v1/sources/${slug}/drift` : undefined)
}

/** Everything that shows tools: a change of a source or of a connection changes what can be found and called. */
export function refreshCatalog(queries: QueryClient): void {
  for (const key of ['sources', 'source', 'connections', 'tools', 'places', 'tool', 'policies']) void queries.invalidateQueries({ queryKey: [key] })
}

/** Looks at an address or a document without keeping anything. An address is asked what it is first. */
export function usePreview() {
  return useMutation({
    mutationFn: async (v: SourceDraft): Promise<{ found: Found[]; preview?: Preview; url?: string }> => {
      if (v.document !== undefined) return { found: [], preview: await call<Preview>('POST', '/v1/sources/preview', v) }
      const { items } = await call<{ items: Found[] }>('POST', '/v1/sources/discover', { url: v.url })
      const usable = items.filter((f) => f.kind === 'openapi')
      const only = usable.length === 1 ? usable[0] : undefined
      if (!only) return { found: items }
      const url = only.specUrl ?? v.url
      return { found: items, preview: await call<Preview>('POST', '/v1/sources/preview', { ...v, url }), ...(url ? { url } : {}) }
    },
  })
}

export function useAddSource() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { body: SourceDraft; key: string }) => call<Source>('POST', '/v1/sources', v.body, { 'Idempotency-Key': v.key }),
    onSuccess: (s) => {
      queries.setQueryData(['source', s.slug], s)
      refreshCatalog(queries)
    },
  })
}

export function useChangeSource(slug: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: SourceChange) => call<Source>('PATCH', `/v1/sources/${slug}`, body),
    onSuccess: () => { refreshCatalog(queries) },
  })
}

export function useRefreshSource(slug: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (document?: string) => call<Refreshed>('POST', `/v1/sources/${slug}/refresh`, document === undefined ? {} : { document }),
    onSuccess: () => { refreshCatalog(queries) },
  })
}

/** Accepts what was looked at: with a newer revision than that, nothing is accepted. */
export function useAccept(slug: string, revision: number) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (tools?: string[]) => call<Source>('POST', `/v1/sources/${slug}/accept`, tools ? { tools, revision } : { revision }),
    onSuccess: () => { refreshCatalog(queries) },
  })
}

export function useRemoveSource(slug: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<undefined>('DELETE', `/v1/sources/${slug}`),
    onSuccess: () => {
      queries.removeQueries({ queryKey: ['source', slug] })
      refreshCatalog(queries)
    },
  })
}
