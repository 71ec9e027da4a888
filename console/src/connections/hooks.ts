import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import { refreshCatalog } from '@/sources/hooks'
import type { Connection, ConnectionChange, ConnectionDraft, ConnectionTest } from '@/api/model'

export function useConnections(source?: string) {
  return useList<Connection>(['connections'], '/v1/connections', { source })
}

export function useAddConnection() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (v: { body: ConnectionDraft; key: string }) => call<Connection>('POST', '/v1/connections', v.body, { 'Idempotency-Key': v.key }),
    gcTime: 0, // it holds what was typed
    onSuccess: () => { refreshCatalog(queries) },
  })
}

const path = (c: { source: string; name: string }) => `/v1/connections/${c.source}/${c.name}`

export function useChangeConnection(c: Connection) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ConnectionChange) => call<Connection>('PATCH', path(c), body),
    gcTime: 0,
    onSuccess: () => { refreshCatalog(queries) },
  })
}

export function useTestConnection(c: Connection) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<ConnectionTest>('POST', `${path(c)}/test`),
    onSuccess: () => { void queries.invalidateQueries({ queryKey: ['connections'] }) },
  })
}

export function useRemoveConnection(c: Connection) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call<undefined>('DELETE', path(c)),
    onSuccess: () => { refreshCatalog(queries) },
  })
}
