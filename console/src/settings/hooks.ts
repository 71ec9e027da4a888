import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Me, Session } from '@/api/model'
import { signOut } from '@/api/session'

export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: () => call<Me>('GET', '/v1/auth/me'), staleTime: 60_000 })
}

export function useSessions() {
  return useList<Session>(['sessions'], '/v1/auth/sessions')
}

export function useRevoke() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call<undefined>('DELETE', `/v1/auth/sessions/${id}`),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['sessions'] }) },
  })
}

export function useSignOut() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: signOut,
    onSuccess: () => {
      queries.setQueryData(['session'], false)
      queries.removeQueries({ predicate: (q) => q.queryKey[0] !== 'session' })
    },
  })
}

export function useNewLink() {
  return useMutation({ mutationFn: () => call<{ url: string; expiresAt: string }>('POST', '/v1/auth/links', {}) })
}
