import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '@/api/call'
import { live } from '@/api/live'
import type { Page, Run, RunEvent } from '@/api/model'
import { useList } from '@/api/list'
import { over } from '@/ui/status'
import { Timeline } from './timeline'

export function useRuns(filter: { status?: string | undefined; instanceId?: string | undefined }) {
  const list = useList<Run>(['runs'], '/v1/runs', filter)
  const queries = useQueryClient()
  useEffect(() => live.listen((p) => {
    if (p.kind === 'events' || (p.kind === 'line' && p.up)) void queries.invalidateQueries({ queryKey: ['runs'] })
  }), [queries])
  return list
}

/** The newest runs, for the command menu. */
export function useRecentRuns() {
  return useQuery({ queryKey: ['runs', 'recent'], queryFn: async () => (await call<Page<Run>>('GET', '/v1/runs?limit=20')).items })
}

/** One run, kept up to date by pushes; while the line is down or the run moves, by reading again. */
export function useRun(id: string) {
  const queries = useQueryClient()
  const key = ['run', id]
  useEffect(() => live.listen((p) => {
    if (p.kind === 'events' && p.body.run.id === id) queries.setQueryData<Run>(['run', id], (old) => (old && old.lastEvent > p.body.run.lastEvent ? old : p.body.run))
    if (p.kind === 'line' && p.up) void queries.invalidateQueries({ queryKey: ['run', id] })
  }), [queries, id])
  return useQuery({
    queryKey: key,
    queryFn: () => call<Run>('GET', `/v1/runs/${id}`),
    refetchInterval: (q) => (q.state.data && over(q.state.data.status) ? false : live.up ? 10_000 : 1_500),
  })
}

/** A run's events: always a prefix in order. Pushed ones are shown at once; a gap is read from the API. One component, one run. */
export function useEvents(id: string, head: number | undefined): { events: RunEvent[]; error: Error | null } {
  const [events, set] = useState<RunEvent[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [timeline] = useState(() => new Timeline())

  useEffect(() => live.listen((p) => {
    if (p.kind === 'events' && p.body.run.id === id) set(timeline.add(p.body.events ?? []))
  }), [id, timeline])

  useEffect(() => {
    if (head === undefined || timeline.last >= head) return
    let stale = false
    void (async () => {
      try {
        for (let more = true; more && !stale;) {
          const page = await call<Page<RunEvent>>('GET', `/v1/runs/${id}/events?after=${timeline.last.toString()}&limit=200`)
          set(timeline.add(page.items))
          more = page.items.length > 0 && timeline.last < head
        }
        setError(null)
      } catch (e) {
        if (!stale && e instanceof Error) setError(e)
      }
    })()
    return () => { stale = true }
  }, [id, head, timeline])
  return { events, error }
}

export function useCancelRun(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<Run>('POST', `/v1/runs/${id}/cancel`),
    onSuccess: (run) => { queries.setQueryData(['run', id], run) },
  })
}

/** A signed address of a picture of the run, good for some minutes. */
export function usePicture(runId: string, name: string | undefined) {
  return useQuery({
    queryKey: ['picture', runId, name],
    queryFn: () => call<{ url: string }>('GET', `/v1/runs/${runId}/pictures/${encodeURIComponent(name ?? '')}`),
    enabled: name !== undefined,
    staleTime: 5 * 60_000,
  })
}
