import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call } from '@/api/call'
import { live } from '@/api/live'
import type { Execution } from '@/api/model'
import { finished, StepLog, type StepPage } from './steps'

export type Program = { code: string; title?: string; autoApprove?: boolean }

const quick = 700
const idle = 4_000

function pace(x: Execution | undefined): number | false {
  if (x && finished(x.status)) return false
  return x?.status === 'waiting_for_interaction' ? idle : 2 * quick
}

/** A program's run, as far as it is. The live line tells that something changed; while it computes it is also asked. */
export function useExecution(id: string | undefined) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!id) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = live.listen((p) => {
      if (p.kind !== 'events' || p.body.run.id !== id) return
      timer ??= setTimeout(() => {
        timer = undefined
        void queries.invalidateQueries({ queryKey: ['execution', id] })
      }, 250)
    })
    return () => { stop(); clearTimeout(timer) }
  }, [id, queries])
  return useQuery({
    queryKey: ['execution', id ?? ''], enabled: id !== undefined && id !== '',
    queryFn: () => call<Execution>('GET', `/v1/executions/${id ?? ''}`),
    refetchInterval: (q) => pace(q.state.data),
  })
}

/** The calls that a program made, in order, while they happen. */
export function useCalls(x: Execution | undefined) {
  const id = x?.id ?? ''
  const [log] = useState(() => new Map<string, StepLog>())
  const queries = useQueryClient()
  const over = x !== undefined && finished(x.status)
  useEffect(() => { if (over && id) void queries.invalidateQueries({ queryKey: ['execution', id, 'calls'] }) }, [over, id, queries]) // its last ones
  return useQuery({
    queryKey: ['execution', id, 'calls'], enabled: id !== '',
    queryFn: () => {
      const own = log.get(id) ?? new StepLog()
      log.set(id, own)
      return own.read((cursor) => call<StepPage>('GET', `/v1/executions/${id}/steps?limit=200${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`))
    },
    refetchInterval: over ? false : x?.status === 'waiting_for_interaction' ? idle : quick,
  })
}

export function useRunProgram() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { body: Program; key: string }) => call<Execution>('POST', '/v1/executions', { ...v.body, via: 'console', waitSeconds: 1 }, { 'Idempotency-Key': v.key }),
    onSuccess: (x) => {
      queries.setQueryData(['execution', x.id], x)
      void queries.invalidateQueries({ queryKey: ['runs'] })
    },
  })
}

export function useCancelExecution(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<Execution>('POST', `/v1/executions/${id}/cancel`),
    onSuccess: () => {
      for (const key of [['execution', id], ['run', id], ['runs'], ['interactions']]) void queries.invalidateQueries({ queryKey: key })
    },
  })
}
