import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '@/api/call'
import { live } from '@/api/live'
import { useList } from '@/api/list'
import type { Interaction } from '@/api/model'

const key = ['interactions'] as const

export function useInbox(status: string) {
  const queries = useQueryClient()
  useEffect(() => live.listen((p) => {
    if (p.kind === 'inbox' || (p.kind === 'line' && p.up)) void queries.invalidateQueries({ queryKey: key })
  }), [queries])
  return useList<Interaction>(key, '/v1/interactions', { status }, live.up ? 30_000 : 3_000)
}

/** How many questions wait for the person now. */
export function useOpenCount(): number {
  return useInbox('open').data?.length ?? 0
}

export function useInteraction(id: string) {
  return useQuery({ queryKey: [...key, id], queryFn: () => call<Interaction>('GET', `/v1/interactions/${id}`) })
}

export type AnswerBody = { kind: string; value?: string; secret?: string; note?: string }

/** Answers once. The card shows it as pending until the host has confirmed; nothing is assumed before. */
export function useAnswer(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: AnswerBody) => call<Interaction>('POST', `/v1/interactions/${id}/answer`, body),
    onSettled: () => { void queries.invalidateQueries({ queryKey: key }) },
  })
}
