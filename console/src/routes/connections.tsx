import { createFileRoute, Link, useNavigate } from '@tanstack/react-router'
import { ConnectForm } from '@/connections/form'
import { useConnections } from '@/connections/hooks'
import { ConnectionRow } from '@/connections/row'
import { useSources } from '@/sources/hooks'
import { Button } from '@/ui/button'
import { Choice } from '@/ui/field'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/connections')({
  validateSearch: (s: Record<string, unknown>): { add?: string } => (typeof s['add'] === 'string' ? { add: s['add'] } : {}),
  component: Connections,
})

function Connections() {
  const list = useConnections()
  return (
    <Page title="Connections" hint="How your sources let you in. Values are sealed when stored; only their last four characters are shown again.">
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data?.length === 0 ? <Empty title="No connections yet" command="pags connections add SOURCE">Connect one of your sources below, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? <Panel className="divide-y divide-line">{list.data.map((c) => <ConnectionRow key={c.namespace} c={c} linked />)}</Panel> : null}
      {list.more ? <Button className="mt-4" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
      <Add taken={(slug) => list.data?.filter((c) => c.source === slug).map((c) => c.name) ?? []} />
    </Page>
  )
}

function Add({ taken }: { taken: (slug: string) => string[] }) {
  const { add } = Route.useSearch()
  const navigate = useNavigate({ from: '/connections' })
  const sources = useSources()
  const source = sources.data?.find((s) => s.slug === add) ?? sources.data?.[0]
  if (sources.data?.length === 0) return <p className="mt-6 text-sm text-ink-2">First <Link to="/sources/new" className="link text-ink">add a source</Link>.</p>
  if (!source) return null
  return (
    <Panel label="Add a connection" className="mt-8 p-4 sm:p-5">
      <h2 className="mb-4 font-semibold">Add a connection</h2>
      <div className="mb-4 sm:max-w-[calc(50%-0.5rem)]"><Choice label="Source" value={source.slug} onChange={(v) => { void navigate({ search: { add: v }, replace: true, resetScroll: false }) }} options={(sources.data ?? []).map((s) => [s.slug, s.name])} /></div>
      <ConnectForm key={source.slug} source={source} taken={taken(source.slug)} />
    </Panel>
  )
}
