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
  const used = useRef<string>(undefined) // a link works once: React's double run in development must not use it up

  useEffect(() => {
    const attempt = () => {
      const link = location.hash.slice(1)
      if (!link || used.current === link) return
      used.current = link
      history.replaceState(history.state, '', '/signin')
      setTrying(true)
      setError(undefined)
      signIn(link).then(
        () => {
          queries.clear()
          queries.setQueryData(['session'], true)
          void navigate({ to: '/runs', replace: true })
        },
        (e: unknown) => {
          setTrying(false)
          setError(e instanceof Error ? e : new Error('Signing in did not work'))
        },
      )
    }
    attempt()
    addEventListener('hashchange', attempt) // a link pasted into this very tab
    return () => { removeEventListener('hashchange', attempt) }
  }, [navigate, queries])

  return (
    <div className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center px-6 py-12">
      <img src="/favicon.svg" alt="" className="mb-5 size-10" />
      <h1 className="text-xl font-semibold tracking-tight">Sign in to pags</h1>
      {trying ? <p role="status" className="mt-2 text-ink-2">Signing you in…</p> : (
        <div className="mt-2 space-y-4">
          {error ? <Failure error={error} safe="Get a new link and open it here." /> : null}
          <p className="text-ink-2">On the machine that runs pags, get a link that works once:</p>
          <CopyText text="pags open" label="Copy the command" />
        </div>
      )}
    </div>
  )
}
