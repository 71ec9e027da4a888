import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { KeyTest, ModelKey } from '@/api/model'

export function useModelKeys() {
  return useList<ModelKey>(['keys'], '/v1/keys')
}

export function useSaveKey() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { provider: string; key: string; baseUrl?: string; model?: string }) => {
      const { provider, ...body } = v
      return call<ModelKey>('PUT', `/v1/keys/${provider}`, body)
    },
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['keys'] }) },
  })
}

export function useRemoveKey() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (provider: string) => call<undefined>('DELETE', `/v1/keys/${provider}`),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['keys'] }) },
  })
}

export function useTestKey(provider: string) {
  return useMutation({ mutationFn: () => call<KeyTest>('POST', `/v1/keys/${provider}/test`) })
}
