import { useQueryClient } from '@tanstack/react-query'
import { createFileRoute, useNavigate } from '@tanstack/react-router'
import { signOut } from '@/api/session'
import { useMe, useNewLink, useRevoke, useSessions } from '@/settings/hooks'
import { Button } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/settings')({ component: Settings })

function Settings() {
  const me = useMe()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const leave = async () => {
    await signOut()
    queries.clear()
    await navigate({ to: '/signin' })
  }
  return (
    <Page title="Settings" actions={<Button onClick={() => { void leave() }}>Sign out</Button>}>
      {me.error ? <Failure error={me.error} retry={() => { void me.refetch() }} /> : null}
      <Panel label="Account" className="p-5">
        <dl className="grid gap-5 sm:grid-cols-3">
          <Fact name="Name">{me.data?.name ?? '…'}</Fact>
          <Fact name="Login">{me.data?.login ?? '…'}</Fact>
          <Fact name="Account">{me.data ? <CopyText text={me.data.id} label="Copy the account id" /> : '…'}</Fact>
        </dl>
      </Panel>
      <Sessions />
      <AnotherDevice />
    </Page>
  )
}

function Sessions() {
  const list = useSessions()
  const revoke = useRevoke()
  return (
    <section aria-label="Sessions" className="mt-8">
      <h2 className="font-medium">Signed in</h2>
      <p className="mt-1 mb-3 text-sm text-ink-2">Ending a session signs that place out at once.</p>
      {list.error ? <Failure error={list.error} retry={list.retry} /> : null}
      {revoke.error ? <Failure error={revoke.error} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data ? (
        <Panel className="divide-y divide-line">
          {list.data.map((s) => (
            <div key={s.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3">
              <div><p className="text-sm font-medium">{s.label}</p><p className="text-xs text-ink-2">used <Ago at={s.lastUsedAt} /> · since <Ago at={s.createdAt} /></p></div>
              <Button size="small" look="danger" busy={revoke.isPending && revoke.variables === s.id} onClick={() => { revoke.mutate(s.id) }}>End</Button>
            </div>
          ))}
        </Panel>
      ) : null}
    </section>
  )
}

function AnotherDevice() {
  const link = useNewLink()
  return (
    <section aria-label="Another device" className="mt-8">
      <h2 className="font-medium">Another device</h2>
      <p className="mt-1 mb-3 text-sm text-ink-2">A link that signs in one browser, or a machine with <code>pags login LINK</code>. It works once, for ten minutes.</p>
      {link.data ? <CopyText text={link.data.url} label="Copy the link" /> : <Button busy={link.isPending} onClick={() => { link.mutate() }}>Make a link</Button>}
      {link.error ? <Failure error={link.error} /> : null}
    </section>
  )
}
