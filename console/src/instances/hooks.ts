import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Attachment, BrowseBody, Instance, Run } from '@/api/model'

export function useInstances() {
  return useList<Instance>(['instances'], '/v1/instances/my/instances')
}

export function useInstance(id: string) {
  return useQuery({ queryKey: ['instance', id], queryFn: () => call<Instance>('GET', `/v1/instances/${id}`) })
}

export function useSubscribe() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { agentId: string; key: string }) => call<{ instanceId: string }>('POST', `/v1/instances/${v.agentId}/subscribe`, {}, { 'Idempotency-Key': v.key }),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['instances'] }) },
  })
}

/** Changes one thing of an instance and shows the result everywhere. */
export function useChangeInstance(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { method: string; path: string; body?: unknown }) => call<unknown>(v.method, `/v1/instances/${id}${v.path}`, v.body),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['instance', id] })
      void queries.invalidateQueries({ queryKey: ['instances'] })
    },
  })
}

export function useBrowse(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { body: BrowseBody; key: string }) => call<Run>('POST', `/v1/instances/${id}/browse`, v.body, { 'Idempotency-Key': v.key }),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['runs'] }) },
  })
}

/** Whether a machine serves the instance now, and the one thing to do if not. */
export function useRuntime(id: string) {
  return useQuery({ queryKey: ['machines', 'serving', id], queryFn: () => call<Attachment>('GET', `/v1/relay/${id}/status`), refetchInterval: 10_000 })
}
