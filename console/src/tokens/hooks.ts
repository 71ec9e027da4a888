import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { NewToken, Token } from '@/api/model'

export function useTokens() {
  return useList<Token>(['tokens'], '/v1/auth/tokens')
}

export function useMakeToken() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; scopes: string[]; days?: number }) => call<NewToken>('POST', '/v1/auth/tokens', body),
    gcTime: 0, // it is shown once
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['tokens'] }) },
  })
}

export function useRevokeToken(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<undefined>('DELETE', `/v1/auth/tokens/${id}`),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['tokens'] }) },
  })
}
