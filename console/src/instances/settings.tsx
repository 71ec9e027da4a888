import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { Instance } from '@/api/model'
import { Button } from '@/ui/button'
import { Area, Field } from '@/ui/field'
import { Panel } from '@/ui/page'
import { Failure } from '@/ui/state'
import { useChangeInstance } from './hooks'

/** Name, instructions, and the end of an instance. */
export function Settings({ instance: n }: { instance: Instance }) {
  return (
    <section aria-labelledby="settings">
      <h2 id="settings" className="mb-2 font-semibold">Settings</h2>
      <Panel className="divide-y divide-line">
        <Name n={n} />
        <Instructions n={n} />
        <End n={n} />
      </Panel>
    </section>
  )
}

function Name({ n }: { n: Instance }) {
  const [name, setName] = useState(n.displayName)
  const change = useChangeInstance(n.id)
  const save = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ method: 'PUT', path: '/name', body: { displayName: name } })
  }
  return (
    <form onSubmit={save} className="p-4">
      <div className="flex max-w-xl items-end gap-2">
        <Field className="min-w-0 flex-1" label="Name" maxLength={60} required value={name} onChange={(e) => { setName(e.target.value) }} />
        <Button type="submit" className="min-h-[2.25rem]" busy={change.isPending} disabled={name === n.displayName}>Rename</Button>
      </div>
      <Outcome change={change} />
    </form>
  )
}

function Instructions({ n }: { n: Instance }) {
  const kept = n.config['specialInstructions']
  const before = typeof kept === 'string' ? kept : ''
  const [rules, setRules] = useState(before)
  const change = useChangeInstance(n.id)
  const save = (e: FormEvent) => {
    e.preventDefault()
    change.mutate({ method: 'PATCH', path: '/config', body: { key: 'specialInstructions', value: rules === '' ? null : rules } })
  }
  return (
    <form onSubmit={save} className="p-4">
      <Area label="Your instructions" value={rules} onChange={setRules} maxLength={4000} hint="For every task. They never widen what it may do." />
      <Button type="submit" className="mt-3" busy={change.isPending} disabled={rules === before}>Save</Button>
      <Outcome change={change} />
    </form>
  )
}

function End({ n }: { n: Instance }) {
  const change = useChangeInstance(n.id)
  const navigate = useNavigate()
  const end = () => {
    if (confirm(`Cancel ${n.displayName}? Its runs stay readable; it cannot be started again.`)) change.mutate({ method: 'POST', path: '/cancel' }, { onSuccess: () => { void navigate({ to: '/instances' }) } })
  }
  return (
    <div className="p-4">
      <Button look="danger" busy={change.isPending} onClick={end}>Cancel this instance</Button>
      {change.error ? <Failure className="mt-3" error={change.error} safe="Nothing was changed." /> : null}
    </div>
  )
}

function Outcome({ change }: { change: ReturnType<typeof useChangeInstance> }) {
  return (
    <div role="status" className="text-sm">
      {change.error ? <Failure className="mt-3" error={change.error} safe="Nothing was changed." /> : change.isSuccess ? <p className="mt-2 text-ok">Saved</p> : null}
    </div>
  )
}
