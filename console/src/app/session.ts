import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { token } from '@/api/session'

/** Whether somebody is signed in (undefined while that is not known yet), and a way to go to a room. */
export function useSession(): { signedIn: boolean | undefined; go: (to: string) => void } {
  const navigate = useNavigate()
  const q = useQuery({ queryKey: ['session'], queryFn: async () => (await token()) !== undefined, staleTime: Infinity })
  const go = useCallback((to: string) => { void navigate({ to }) }, [navigate])
  return { signedIn: q.data, go }
}
