import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { useAgent } from '@/agents/hooks'
import type { Instance } from '@/api/model'
import { useRuns } from '@/runs/hooks'
import { RunRow } from '@/runs/row'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Area, Field } from '@/ui/field'
import { Page, Panel } from '@/ui/page'
import { CopyText, Failure, Skeleton } from '@/ui/state'
import { useChangeInstance, useInstance, useRuntime } from './hooks'
import { TaskForm } from './task-form'

/** One instance: start a task, see its machine, its runs and its settings. */
export function InstancePage({ id }: { id: string }) {
  const instance = useInstance(id)
  const agent = useAgent(instance.data?.agentId ?? 'browser')
  const runs = useRuns({ instanceId: id })
  if (instance.error) return <Page title="Instance"><Failure error={instance.error} retry={() => { void instance.refetch() }} /></Page>
  if (!instance.data) return <Page title="Instance"><Skeleton /></Page>
  const n = instance.data
  return (
    <Page title={n.displayName} hint={<>A copy of <Link to="/agents/$id" params={{ id: n.agentId }} className="text-accent underline underline-offset-4">{agent.data?.name ?? n.agentId}</Link></>}>
      <div className="space-y-8">
        {n.status === 'active' ? (
          <Panel label="New task" className="p-5">
            <h2 className="mb-4 font-medium">New task</h2>
            <Machine id={id} />
            <TaskForm instanceId={id} readOnly={agent.data?.readOnly ?? false} />
          </Panel>
        ) : <p className="rounded-lg bg-sunken px-4 py-3 text-sm text-ink-2">This instance was cancelled. Its runs stay here.</p>}
        <section aria-label="Runs of this instance">
          <h2 className="mb-3 font-medium">Runs</h2>
          {runs.error ? <Failure error={runs.error} retry={runs.retry} /> : null}
          {runs.data?.length === 0 ? <p className="text-sm text-ink-2">None yet.</p> : null}
          {runs.data && runs.data.length > 0 ? <Panel className="divide-y divide-line overflow-hidden">{runs.data.slice(0, 10).map((r) => <RunRow key={r.id} run={r} />)}</Panel> : null}
          {(runs.data?.length ?? 0) > 10 ? <Link to="/runs" search={{ instance: id }} className="mt-3 inline-block text-sm text-accent underline underline-offset-4">All runs</Link> : null}
        </section>
        {n.status === 'active' ? <Settings instance={n} /> : null}
      </div>
    </Page>
  )
}

/** Says whether a machine serves the instance, and the one remedy if none does. */
function Machine({ id }: { id: string }) {
  const q = useRuntime(id)
  if (!q.data) return null
  return (
    <div role="status" className={cn('mb-5 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md px-3 py-2 text-sm', q.data.connected ? 'bg-ok-soft text-ok' : 'bg-wait-soft text-wait')}>
      <span>{q.data.connected ? `Your machine ${q.data.node ?? ''} is ready` : 'No machine of yours serves this now'}</span>
      {q.data.connected ? null : q.data.reason === 'never-registered' || q.data.reason === 'runner-offline' ? <CopyText text="pags up" label="Copy the command" /> : <span className="text-ink">{q.data.remedy}</span>}
    </div>
  )
}

function Settings({ instance: n }: { instance: Instance }) {
  const [name, setName] = useState(n.displayName)
  const config = n.config as Record<string, unknown>
  const [rules, setRules] = useState(typeof config['specialInstructions'] === 'string' ? config['specialInstructions'] : '')
  const change = useChangeInstance(n.id)
  const navigate = useNavigate()
  const rename = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ method: 'PUT', path: '/name', body: { displayName: name } })
  }
  const instruct = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ method: 'PATCH', path: '/config', body: { key: 'specialInstructions', value: rules === '' ? null : rules } })
  }
  return (
    <section aria-label="Settings">
      <h2 className="mb-3 font-medium">Settings</h2>
      <Panel className="space-y-6 p-5">
        <form onSubmit={rename} className="flex flex-wrap items-start gap-2">
          <Field className="min-w-56 flex-1" label="Name" maxLength={60} required value={name} onChange={(e) => { setName(e.target.value) }} />
          <Button type="submit" className="mt-6" busy={change.isPending} disabled={name === n.displayName}>Rename</Button>
        </form>
        <form onSubmit={instruct} className="space-y-2">
          <Area label="Your instructions" value={rules} onChange={setRules} maxLength={4000} hint="Rules for every task of this instance. They never widen what it may do." />
          <Button type="submit" busy={change.isPending}>Save instructions</Button>
        </form>
        {change.error ? <Failure error={change.error} safe="Nothing was changed." /> : null}
        {change.isSuccess ? <p role="status" className="text-sm text-ok">Saved.</p> : null}
        <div className="border-t border-line pt-5">
          <Button look="danger" onClick={() => {
            if (confirm(`Cancel ${n.displayName}? Its runs stay readable; it cannot be started again.`)) change.mutate({ method: 'POST', path: '/cancel' }, { onSuccess: () => { void navigate({ to: '/instances' }) } })
          }}>Cancel this instance</Button>
        </div>
      </Panel>
    </section>
  )
}
