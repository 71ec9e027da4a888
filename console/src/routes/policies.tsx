import { createFileRoute } from '@tanstack/react-router'
import { PolicyForm } from '@/policies/form'
import { usePolicies } from '@/policies/hooks'
import { Explained, PolicyRow } from '@/policies/row'
import { Button } from '@/ui/button'
import { Page, Panel } from '@/ui/page'
import { Empty, Failure, Skeleton } from '@/ui/state'

export const Route = createFileRoute('/policies')({
  validateSearch: (s: Record<string, unknown>): { pattern?: string } => (typeof s['pattern'] === 'string' ? { pattern: s['pattern'] } : {}),
  component: Policies,
})

function Policies() {
  const list = usePolicies()
  const { pattern } = Route.useSearch()
  return (
    <Page title="Policies" hint="Which calls of tools go ahead, which ask you first, and which never happen.">
      {list.error ? <Failure className="mb-4" error={list.error} retry={list.retry} safe="Your policies are in force as they were." /> : null}
      {list.loading ? <Skeleton rows={2} /> : null}
      {list.data?.length === 0 ? <Empty title="No policies of your own yet" command={'pags policies add "github.*.issues.*" approve'}>The defaults below hold. Add a policy here, or from the command line:</Empty> : null}
      {list.data && list.data.length > 0 ? <Panel><ul className="divide-y divide-line">{list.data.map((p) => <PolicyRow key={p.id} p={p} />)}</ul></Panel> : null}
      {list.more ? <Button className="mt-4" onClick={list.more} busy={list.loadingMore}>Show more</Button> : null}
      <Panel label="Add a policy" className="mt-8 p-4 sm:p-5">
        <h2 className="mb-4 font-semibold">Add a policy</h2>
        <PolicyForm key={pattern ?? ''} {...(pattern ? { pattern } : {})} />
      </Panel>
      <Explained />
    </Page>
  )
}
