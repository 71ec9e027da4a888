import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Policy } from '@/api/model'
import { Verdict } from '@/tools/marks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Failure } from '@/ui/state'
import { Switch } from '@/ui/switch'
import { Ago } from '@/ui/time'
import { PolicyForm } from './form'
import { useChangePolicy, useRemovePolicy } from './hooks'

export function PolicyRow({ p }: { p: Policy }) {
  const [editing, setEditing] = useState(false)
  const change = useChangePolicy(p.id)
  const remove = useRemovePolicy(p.id)
  const error = change.error ?? remove.error
  const drop = () => { if (confirm(`Remove the policy ${p.pattern}? What it decided falls to your other policies and the defaults.`)) remove.mutate() }
  return (
    <li className="px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1"><span className={cn('font-mono text-sm font-medium break-all', !p.enabled && 'text-ink-2 line-through decoration-line-strong')}>{p.pattern}</span><Verdict action={p.action} /></p>
          <p className="mt-0.5 text-xs break-words text-ink-2">
            {p.matches === 1 ? '1 tool' : `${p.matches.toLocaleString()} tools`}{p.enabled ? '' : ' · off'}{p.note ? ` · ${p.note}` : ''} · changed <Ago at={p.updatedAt} />
          </p>
          {p.warning ? <p className="mt-1 flex items-start gap-1.5 text-xs text-wait"><TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />{p.warning}</p> : null}
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Switch label={`Use the policy ${p.pattern}`} hidden checked={p.enabled} busy={change.isPending} onChange={(enabled) => { change.mutate({ enabled }) }} />
          <Button size="small" aria-expanded={editing} aria-label={`Edit the policy ${p.pattern}`} onClick={() => { setEditing(!editing) }}>Edit</Button>
          <Button size="small" look="danger" busy={remove.isPending} aria-label={`Remove the policy ${p.pattern}`} onClick={drop}>Remove</Button>
        </div>
      </div>
      {error ? <Failure className="mt-2" error={error} safe="The policy is as it was." /> : null}
      {editing ? <div className="mt-3 border-t border-line pt-3"><PolicyForm policy={p} onDone={() => { setEditing(false) }} /></div> : null}
    </li>
  )
}

const defaults = [
  { kind: 'Reads', what: 'A tool that only reads', action: 'approve' },
  { kind: 'Writes', what: 'A tool that creates or changes something', action: 'require_approval' },
  { kind: 'Destructive', what: 'A tool that takes something away', action: 'require_approval' },
] as const

/** What holds without a policy, and which policy wins. */
export function Explained() {
  return (
    <section aria-labelledby="defaults" className="mt-8">
      <h2 id="defaults" className="mb-2 font-semibold">Without a policy</h2>
      <div className="overflow-hidden rounded-lg border border-line bg-panel">
        <table className="w-full text-left text-sm">
          <thead className="sr-only"><tr><th scope="col">Kind</th><th scope="col">What it is</th><th scope="col">Its calls</th></tr></thead>
          <tbody className="divide-y divide-line">
            {defaults.map((d) => (
              <tr key={d.kind}><th scope="row" className="py-2 pl-4 font-medium">{d.kind}</th><td className="hidden px-3 py-2 text-ink-2 sm:table-cell">{d.what}</td><td className="py-2 pr-4 text-right"><Verdict action={d.action} /></td></tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2 className="mt-6 mb-1 font-semibold">Which policy wins</h2>
      <ul className="max-w-prose list-disc space-y-1 pl-5 text-sm text-ink-2">
        <li>The most specific one: each written part counts, a star does not, and a pattern without stars counts most. A broad policy never overrules a narrower one.</li>
        <li>Between two that are equally specific, the stricter: blocking before asking before going ahead.</li>
        <li>A blocked tool is found by no program and called by none, not even in a run where you approve everything.</li>
        <li>A tool whose definition changed upstream asks you, whatever your policies say, until you <Link to="/sources" className="link text-ink">accept the change</Link>.</li>
      </ul>
    </section>
  )
}
