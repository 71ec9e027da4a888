import { useQuery } from '@tanstack/react-query'
import { token } from '@/api/session'

/** Whether somebody is signed in; undefined while that is not known yet. */
export function useSession() {
  const q = useQuery({ queryKey: ['session'], queryFn: async () => (await token()) !== undefined, staleTime: Infinity })
  return { signedIn: q.data, error: q.error, retry: () => { void q.refetch() } }
}
