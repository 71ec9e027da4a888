import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '@/api/call'
import { live } from '@/api/live'
import type { Page, Run, RunEvent } from '@/api/model'
import { useList } from '@/api/list'
import { show } from '@/app/live'
import { over } from '@/ui/status'
import { Timeline } from './timeline'

/** Runs, newest first. The live line keeps them up to date; without it they are read again now and then. */
export function useRuns(filter: { status?: string | undefined; instanceId?: string | undefined }) {
  return useList<Run>(['runs'], '/v1/runs', filter, live.up ? 60_000 : 5_000)
}

/** One run, kept up to date by the live line; while that is down and the run moves, by reading again. */
export function useRun(id: string) {
  return useQuery({
    queryKey: ['run', id],
    queryFn: () => call<Run>('GET', `/v1/runs/${id}`),
    refetchInterval: (q) => (q.state.data && over(q.state.data.status) ? false : live.up ? 15_000 : 2_000),
  })
}

/** A run's events: always a prefix in order. Pushed ones are shown at once; a gap is read from the API. One component, one run. */
export function useEvents(id: string, head: number | undefined) {
  const [events, set] = useState<RunEvent[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [attempt, setAttempt] = useState(0)
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
          const page = await call<Page<RunEvent>>('GET', `/v1/runs/${id}/events?after=${timeline.last.toString()}&limit=500`)
          set(timeline.add(page.items))
          more = page.items.length > 0 && timeline.last < head
        }
        setError(null)
      } catch (e) {
        if (!stale && e instanceof Error) setError(e)
      }
    })()
    return () => { stale = true }
  }, [id, head, timeline, attempt])
  return { events, error, retry: () => { setAttempt((n) => n + 1) } }
}

export function useCancelRun(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<Run>('POST', `/v1/runs/${id}/cancel`),
    onSuccess: (run) => { show(queries, run) },
  })
}

export function useExport(id: string) {
  return useMutation({ mutationFn: () => call<unknown>('GET', `/v1/runs/${id}/export`) })
}

/** A signed address of a picture of the run, good for some minutes. Pictures are kept by the number of their step. */
export function usePicture(runId: string, key: string | undefined) {
  const step = key && /\/(\d+)\/shot\.jpg$/.exec(key)?.[1]
  return useQuery({
    queryKey: ['picture', runId, step],
    queryFn: () => call<{ url: string }>('GET', `/v1/runs/${runId}/pictures/${step ?? ''}.jpg`),
    enabled: step !== undefined,
    staleTime: 4 * 60_000,
    refetchOnWindowFocus: false,
  })
}
