import { createFileRoute, Link } from '@tanstack/react-router'
import { useSources } from '@/sources/hooks'
import { SourceRow } from '@/sources/row'
import { Button, buttonStyle } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/sources/')({ component: Sources })

function Sources() {
  const list = useSources()
  return (
    <Page title="Sources" hint="APIs whose operations are tools, for you, your agents and your programs." actions={<Link to="/sources/new" className={buttonStyle({ look: 'primary' })}>Add a source</Link>}>
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} /> : null}
      {list.loading ? <Skeleton rows={3} /> : null}
      {list.data?.length === 0 ? <Empty title="No sources yet" command="pags sources add https://petstore3.swagger.io/api/v3/openapi.json"><Link to="/sources/new" className="link text-ink">Add an API</Link> that describes itself, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? <Panel className="divide-y divide-line overflow-hidden">{list.data.map((s) => <SourceRow key={s.slug} s={s} />)}</Panel> : null}
      {list.more ? <Button className="mt-4" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
    </Page>
  )
}
