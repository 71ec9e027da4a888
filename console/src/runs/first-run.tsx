import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { useInstances } from '@/instances/hooks'
import { useModelKeys } from '@/keys/hooks'
import { useMachines } from '@/machines/hooks'
import { useSources } from '@/sources/hooks'
import { Panel } from '@/ui/page'
import { CopyText } from '@/ui/state'

/** The two ways to a first run: what is there already, and for each missing thing the exact next command. */
export function FirstRun() {
  const keys = useModelKeys().data
  const machines = useMachines().data
  const instances = useInstances().data
  const sources = useSources().data
  const name = instances?.[0]?.displayName ?? 'Browser'
  return (
    <Panel className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-6 p-5 lg:grid-cols-2">
      <h2 className="font-semibold lg:col-span-2">No runs yet</h2>
      <Way id="first-browse" name="Let an agent work in a browser">
        <Step done={(keys?.length ?? 0) > 0} to="/keys" what="Store a model key" command={'printf %s "$ANTHROPIC_API_KEY" | pags keys set anthropic'} />
        <Step done={machines?.some((m) => m.online) ?? false} to="/machines" what="Bring a machine online" command="pags up" />
        <Step done={(instances?.length ?? 0) > 0} to="/agents" what="Get an agent" command="pags instances subscribe browser" />
        <Step done={false} to="/instances" what="Give it a task" command={`pags browse "${name}" --url https://example.com --objective "Tell me the page title" --wait`} />
      </Way>
      <Way id="first-tools" name="Let programs and models call your APIs">
        <Step done={(sources?.length ?? 0) > 0} to="/sources/new" what="Add an API" command="pags sources add https://petstore3.swagger.io/api/v3/openapi.json" />
        <Step done={sources?.some((s) => s.connections > 0) ?? false} to="/connections" what="Connect it" command={`pags connections add ${sources?.[0]?.slug ?? 'SOURCE'}`} />
        <Step done={false} to="/playground" what="Run a program" command={'pags exec -e "return tools.search({ query: \'list\' })"'} />
      </Way>
    </Panel>
  )
}

function Way({ id, name, children }: { id: string; name: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="text-xs text-ink-2">{name}</h3>
      <ol className="mt-3 space-y-4">{children}</ol>
    </section>
  )
}

function Step({ done, to, what, command }: { done: boolean; to: '/keys' | '/machines' | '/agents' | '/instances' | '/sources/new' | '/connections' | '/playground'; what: string; command: string }): ReactNode {
  return (
    <li className="flex gap-3">
      {done ? <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-ok" /> : <CircleDashed aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-2" />}
      <div className="min-w-0">
        <p><Link to={to} className="link">{what}</Link>{done ? <span className="ml-2 text-xs text-ink-2">done</span> : null}</p>
        {done ? null : <CopyText text={command} label={`Copy the command: ${what}`} className="mt-1.5" />}
      </div>
    </li>
  )
}
