import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Machine } from '@/api/model'

export function useMachines() {
  return useList<Machine>(['machines'], '/v1/machines', {}, 5_000)
}

export function useForget() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call<undefined>('DELETE', `/v1/machines/${id}`),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['machines'] }) },
  })
}
