import { useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { live } from '@/api/live'
import type { Page, Run } from '@/api/model'

/** Brings what the socket tells into the cache, for every page at once. When the line comes back, everything is read again. */
export function useLive(): void {
  const queries = useQueryClient()
  useEffect(() => live.listen((p) => {
    if (p.kind === 'events') show(queries, p.body.run)
    if (p.kind === 'inbox') void queries.invalidateQueries({ queryKey: ['interactions'] })
    if (p.kind === 'line' && p.up) for (const key of ['runs', 'run', 'interactions', 'machines', 'execution']) void queries.invalidateQueries({ queryKey: [key] })
  }), [queries])
}

type Pages = InfiniteData<Page<Run>>

/** Puts a run's newer state in place of the older; lists that it enters or leaves are read again. */
export function show(queries: QueryClient, run: Run): void {
  queries.setQueryData<Run>(['run', run.id], (old) => (old && old.lastEvent > run.lastEvent ? old : run))
  for (const [key, data] of queries.getQueriesData<Pages>({ queryKey: ['runs'] })) {
    const filter = key[1] as { status?: string; instanceId?: string }
    const old = data?.pages.flatMap((p) => p.items).find((r) => r.id === run.id)
    if (!data || (filter.instanceId && filter.instanceId !== run.instanceId)) continue
    const belongs = !filter.status || filter.status === run.status
    if (belongs !== (old !== undefined)) void queries.invalidateQueries({ queryKey: key, exact: true })
    else if (old && old.lastEvent < run.lastEvent) queries.setQueryData<Pages>(key, { ...data, pages: data.pages.map((p) => ({ ...p, items: p.items.map((r) => (r.id === run.id ? run : r)) })) })
  }
}
