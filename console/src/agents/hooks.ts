import { useQuery } from '@tanstack/react-query'
import { call } from '@/api/call'
import { useList } from '@/api/list'
import type { Agent } from '@/api/model'

export function useAgents() {
  return useList<Agent>(['agents'], '/v1/agents')
}

export function useAgent(id: string) {
  return useQuery({ queryKey: ['agent', id], queryFn: () => call<Agent>('GET', `/v1/agents/${id}`), staleTime: 60_000 })
}
