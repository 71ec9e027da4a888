import { useQueryClient } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { signIn } from '@/api/session'
import { CopyText, Failure } from '@/ui/state'

export const Route = createFileRoute('/signin')({ component: SignIn })

/** Signs in with the one-time token in the fragment, which no server ever sees. */
function SignIn() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [error, setError] = useState<Error>()
  const [trying, setTrying] = useState(() => location.hash.length > 1)
  const used = useRef(false) // a link works once: React's double run in development must not use it up

  useEffect(() => {
    const link = location.hash.slice(1)
    if (!link || used.current) return
    used.current = true
    history.replaceState(null, '', '/signin')
    signIn(link).then(
      () => {
        queries.setQueryData(['session'], true)
        void navigate({ to: '/runs' })
      },
      (e: unknown) => {
        setTrying(false)
        setError(e instanceof Error ? e : new Error('Signing in did not work'))
      },
    )
  }, [navigate, queries])

  return (
    <div className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-6 py-12">
      <img src="/favicon.svg" alt="" className="mb-6 size-12" />
      <h1 className="text-2xl font-semibold tracking-tight">Sign in to pags</h1>
      {trying ? <p role="status" className="mt-3 text-ink-2">Signing you in…</p> : (
        <div className="mt-3 space-y-4">
          <p className="text-ink-2">You sign in with a link that works once. Get one on the machine that runs pags:</p>
          <CopyText text="pags open" label="Copy the command" />
          {error ? <Failure error={error} safe="Nothing was changed. Ask for a new link and open it here." /> : null}
        </div>
      )}
    </div>
  )
}
