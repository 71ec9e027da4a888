import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Instance, Run } from '@/api/model'

export function useInstances(includeCanceled = false) {
  return useList<Instance>(['instances'], '/v1/instances/my/instances', { includeCanceled: includeCanceled ? 'true' : undefined })
}

export function useInstance(id: string) {
  return useQuery({ queryKey: ['instance', id], queryFn: () => call<Instance>('GET', `/v1/instances/${id}`) })
}

export function useSubscribe() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { agentId: string; displayName?: string }) =>
      call<{ instanceId: string }>('POST', `/v1/instances/${v.agentId}/subscribe`, v.displayName ? { displayName: v.displayName } : {}, { 'Idempotency-Key': crypto.randomUUID() }),
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

export type BrowseBody = { url: string; objective: string; dryRun?: boolean; approve?: string; maxSteps?: number }

export function useBrowse(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { body: BrowseBody; key: string }) => call<Run>('POST', `/v1/instances/${id}/browse`, v.body, { 'Idempotency-Key': v.key }),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['runs'] }) },
  })
}

export type RuntimeStatus = { connected: boolean; reason: string; remedy?: string; node?: string; machineId?: string }

/** Whether a machine serves the instance now, and the one thing to do if not. */
export function useRuntime(id: string) {
  return useQuery({ queryKey: ['runtime', id], queryFn: () => call<RuntimeStatus>('GET', `/v1/relay/${id}/status`), refetchInterval: 5_000 })
}
