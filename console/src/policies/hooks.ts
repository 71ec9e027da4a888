import { useMutation, useQuery, useQueryClient, keepPreviousData } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Policy, PolicyChange, PolicyCheck, PolicyDraft } from '@/api/model'

export function usePolicies() {
  return useList<Policy>(['policies'], '/v1/policies')
}

/** What a pattern would match now. */
export function usePolicyCheck(pattern: string) {
  return useQuery({
    queryKey: ['policy check', pattern], enabled: pattern !== '', staleTime: 10_000, retry: false, placeholderData: keepPreviousData,
    queryFn: () => call<PolicyCheck>('POST', '/v1/policies/check', { pattern }),
  })
}

/** What a change of policies changes: the list, and what every tool may do. */
const touched = ['policies', 'tools', 'tool', 'places'] as const

function useRefresh() {
  const queries = useQueryClient()
  return () => { for (const key of touched) void queries.invalidateQueries({ queryKey: [key] }) }
}

export function useAddPolicy() {
  return useMutation({
    mutationFn: (v: { body: PolicyDraft; key: string }) => call<Policy>('POST', '/v1/policies', v.body, { 'Idempotency-Key': v.key }),
    onSuccess: useRefresh(),
  })
}

export function useChangePolicy(id: string) {
  return useMutation({
    mutationFn: (body: PolicyChange) => call<Policy>('PATCH', `/v1/policies/${id}`, body),
    onSuccess: useRefresh(),
  })
}

export function useRemovePolicy(id: string) {
  return useMutation({ mutationFn: () => call<undefined>('DELETE', `/v1/policies/${id}`), onSuccess: useRefresh() })
}
