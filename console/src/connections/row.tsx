import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { authWords } from '@/sources/auth'
import type { Connection } from '@/api/model'
import { Button } from '@/ui/button'
import { HealthPill } from '@/ui/health'
import { Failure } from '@/ui/state'
import { Switch } from '@/ui/switch'
import { Ago, span } from '@/ui/time'
import { ReplaceForm } from './form'
import { useChangeConnection, useRemoveConnection, useTestConnection } from './hooks'

/** One connection: how it is, and what can be done about it. `linked` leads to its source. */
export function ConnectionRow({ c, linked }: { c: Connection; linked?: boolean }) {
  const [editing, setEditing] = useState(false)
  const change = useChangeConnection(c)
  const test = useTestConnection(c)
  const remove = useRemoveConnection(c)
  const error = test.error ?? change.error ?? remove.error
  const hints = Object.entries(c.hints)
  const drop = () => { if (confirm(`Remove the connection ${c.namespace}? Its values are forgotten and its tools can no longer be called.`)) remove.mutate() }
  return (
    <div className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-mono text-sm font-medium break-all">{linked ? <Link to="/sources/$slug" params={{ slug: c.source }} className="link">{c.source}</Link> : c.source}.{c.name}</span>
            <HealthPill status={c.status} />
          </p>
          <p className="mt-0.5 text-xs text-ink-2">
            {authWords[c.kind] ?? c.kind}{hints.map(([name, last]) => <span key={name}> · {name} <span className="font-mono">…{last}</span></span>)}{c.baseUrl ? ` · ${c.baseUrl}` : ''}{c.detail && !test.data ? ` · ${c.detail}` : ''} · {c.checkedAt ? <>tested <Ago at={c.checkedAt} /></> : <>made <Ago at={c.createdAt} /></>}
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Switch label={`Use ${c.namespace}`} hidden checked={c.enabled} busy={change.isPending} onChange={(enabled) => { change.mutate({ enabled }) }} />
          <Button size="small" busy={test.isPending} aria-label={`Test ${c.namespace}`} onClick={() => { test.mutate() }}>Test</Button>
          <Button size="small" aria-expanded={editing} aria-label={`Replace values of ${c.namespace}`} onClick={() => { setEditing(!editing) }}>Replace values</Button>
          <Button size="small" look="danger" busy={remove.isPending} aria-label={`Remove ${c.namespace}`} onClick={drop}>Remove</Button>
        </div>
      </div>
      <div role="status" className="text-sm">
        {test.data ? <p className={test.data.status === 'healthy' ? 'mt-2 text-ok' : test.data.status === 'unknown' ? 'mt-2 text-ink-2' : 'mt-2 text-bad'}>{[test.data.detail, span(test.data.millis)].filter(Boolean).join(' · ')}</p> : null}
      </div>
      {error ? <Failure className="mt-2" error={error} safe="The connection is as it was." /> : null}
      {editing ? <ReplaceForm c={c} onDone={() => { setEditing(false) }} /> : null}
    </div>
  )
}
