import { createFileRoute } from '@tanstack/react-router'
import type { Session } from '@/api/model'
import { Connect, Tokens } from '@/tokens/tokens'
import { useMe, useNewLink, useRevoke, useSessions, useSignOut } from '@/settings/hooks'
import { Button } from '@/ui/button'
import { Fact, Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { Ago } from '@/ui/time'

export const Route = createFileRoute('/settings')({ component: Settings })

function Settings() {
  const me = useMe()
  const leave = useSignOut()
  return (
    <Page title="Settings" actions={<Button busy={leave.isPending} onClick={() => { leave.mutate() }}>Sign out</Button>}>
      {leave.error ? <Failure className="mb-4" error={leave.error} safe="You are still signed in." /> : null}
      {me.error ? <Failure className="mb-4" error={me.error} retry={() => { void me.refetch() }} /> : null}
      <Panel label="Account" className="p-4">
        <dl className="grid gap-4 sm:grid-cols-3">
          <Fact name="Name">{me.data?.name ?? '…'}</Fact>
          <Fact name="Login">{me.data?.login ?? '…'}</Fact>
          <Fact name="Account id">{me.data ? <CopyText text={me.data.id} label="Copy the account id" className="w-48" /> : '…'}</Fact>
        </dl>
      </Panel>
      <Sessions here={me.data?.session.id} />
      <AnotherDevice />
      <Tokens />
      <Connect />
    </Page>
  )
}

function Sessions({ here }: { here: string | undefined }) {
  const list = useSessions()
  return (
    <section aria-labelledby="sessions" className="mt-8">
      <h2 id="sessions" className="mb-2 font-semibold">Signed in</h2>
      {list.error ? <Failure className="mb-3" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data ? <Panel className="divide-y divide-line">{list.data.map((s) => <SessionRow key={s.id} s={s} here={s.id === here} />)}</Panel> : null}
      {list.more ? <Button className="mt-3" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
    </section>
  )
}

function SessionRow({ s, here }: { s: Session; here: boolean }) {
  const revoke = useRevoke()
  return (
    <div className="px-4 py-2.5">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="min-w-0">
          <p className="truncate font-medium">{s.label}{here ? <span className="ml-2 rounded bg-hover px-1.5 py-px text-xs font-normal text-ink-2">this one</span> : null}</p>
          <p className="text-xs text-ink-2">used <Ago at={s.lastUsedAt} /> · since <Ago at={s.createdAt} /></p>
        </div>
        {here ? null : <Button size="small" look="danger" busy={revoke.isPending} aria-label={`End the session ${s.label}`} onClick={() => { revoke.mutate(s.id) }}>End</Button>}
      </div>
      {revoke.error ? <Failure className="mt-2" error={revoke.error} /> : null}
    </div>
  )
}

function AnotherDevice() {
  const link = useNewLink()
  return (
    <section aria-labelledby="device" className="mt-8">
      <h2 id="device" className="font-semibold">Another device</h2>
      <p className="mt-0.5 mb-3 text-sm text-ink-2">A link that signs in a browser, or a machine with <code className="font-mono text-xs">pags login LINK</code>. Good once, for ten minutes.</p>
      {link.data ? <CopyText text={link.data.url} label="Copy the link" /> : <Button busy={link.isPending} onClick={() => { link.mutate() }}>Make a link</Button>}
      {link.error ? <Failure className="mt-3" error={link.error} /> : null}
    </section>
  )
}
