import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { call } from '@/api/call'
import { live } from '@/api/live'
import { useList } from '@/api/list'
import type { AnswerBody, Interaction } from '@/api/model'
import { outbox } from './outbox'

const key = ['interactions'] as const

/** What waits for the person. The live line tells of changes; without it the list is read often. */
export function useInbox() {
  return useList<Interaction>(key, '/v1/interactions', { status: 'open' }, live.up ? 30_000 : 3_000)
}

/** One question and its answer, for looking back. */
export function useInteraction(id: string) {
  return useQuery({ queryKey: [...key, 'one', id], queryFn: () => call<Interaction>('GET', `/v1/interactions/${id}`), staleTime: 30_000 })
}

/** How many questions wait for the person now. */
export function useOpenCount(): number {
  return useInbox().data?.length ?? 0
}

const risky = new Set(['approval', 'unknown'])

/** The order of the inbox: what may do harm first, then the oldest. */
export function byRisk(a: Interaction, b: Interaction): number {
  return Number(risky.has(b.reason)) - Number(risky.has(a.reason)) || a.createdAt.localeCompare(b.createdAt)
}

/** Answers once: held back for a moment, then pending until the host has confirmed. */
export function useAnswer(id: string) {
  const queries = useQueryClient()
  const state = useSyncExternalStore(outbox.subscribe, () => outbox.get(id))
  const send = useCallback((body: AnswerBody) => {
    outbox.hold(id, body, async () => {
      await call<Interaction>('POST', `/v1/interactions/${id}/answer`, body).finally(() => {
        void queries.invalidateQueries({ queryKey: ['execution'] })
        return queries.invalidateQueries({ queryKey: key })
      })
    })
  }, [id, queries])
  return { state, send, undo: useCallback(() => { outbox.undo(id) }, [id]) }
}
