import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import type { Action, Policy } from '@/api/model'
import { useSettled } from '@/tools/hooks'
import { Button } from '@/ui/button'
import { Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useAddPolicy, useChangePolicy, usePolicyCheck } from './hooks'

const actions: [Action, string][] = [['require_approval', 'Ask me first'], ['approve', 'Let it go ahead'], ['block', 'Block it']]
const isAction = (v: string): v is Action => actions.some(([a]) => a === v)

/** A new policy, or a change of one; while the pattern is typed it says what it would match. */
export function PolicyForm({ policy, pattern: given = '', onDone }: { policy?: Policy; pattern?: string; onDone?: () => void }) {
  const [pattern, setPattern] = useState(policy?.pattern ?? given)
  const [action, setAction] = useState<Action>(policy?.action ?? 'require_approval')
  const [note, setNote] = useState(policy?.note ?? '')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const add = useAddPolicy()
  const change = useChangePolicy(policy?.id ?? '')
  const busy = add.isPending || change.isPending
  const error = add.error ?? change.error
  const wrong = error instanceof Problem ? error.fields.find((f) => f.location === 'body.pattern')?.message : undefined
  const submit = (e: FormEvent) => {
    e.preventDefault()
    const body = { pattern: pattern.trim(), action, note: note.trim() }
    if (policy) change.mutate(body, { onSuccess: () => { onDone?.() } })
    else {
      add.mutate({ key, body: { pattern: body.pattern, action, ...(body.note ? { note: body.note } : {}) } }, {
        onSuccess: () => { setPattern(''); setNote(''); setKey(crypto.randomUUID()); onDone?.() },
        onError: (err) => { if (err instanceof Problem && err.status >= 400) setKey(crypto.randomUUID()) },
      })
    }
  }
  return (
    <form onSubmit={submit} aria-label={policy ? `Change the policy ${policy.pattern}` : 'Add a policy'} className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <div className="min-w-0">
          <Field label="Pattern" required spellCheck={false} autoComplete="off" className="[&_input]:font-mono" placeholder="github.*.issues.*" value={pattern} onChange={(e) => { setPattern(e.target.value) }} error={wrong} />
          <Check pattern={pattern.trim()} onPick={setPattern} />
        </div>
        <Choice label="Calls of these" value={action} onChange={(v) => { if (isAction(v)) setAction(v) }} options={actions} />
      </div>
      <Field label="Note" maxLength={200} placeholder="optional: why" value={note} onChange={(e) => { setNote(e.target.value) }} />
      {error && !wrong ? <Failure error={error} safe="Your policies are as they were." /> : null}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" busy={busy}>{policy ? 'Save' : 'Add the policy'}</Button>
        {policy && onDone ? <Button look="quiet" onClick={onDone}>Leave as it is</Button> : null}
        {!policy && add.data && pattern === '' ? <p role="status" className="text-sm text-ok">{add.data.pattern} is in force.</p> : null}
      </div>
    </form>
  )
}

const shown = 5

function Check({ pattern, onPick }: { pattern: string; onPick: (pattern: string) => void }) {
  const settled = useSettled(pattern, 250)
  const check = usePolicyCheck(settled)
  return (
    <div role="status" aria-busy={check.isPlaceholderData} className="mt-1.5 min-h-5 text-xs">
      {pattern === '' ? <span className="text-ink-2">A star is one part; at the end it is everything below, alone every tool.</span>
        : check.error ? <span className="text-bad">{check.error.message}</span>
        : check.data ? (
          <>
            <span className={check.data.matches === 0 ? 'text-wait' : 'text-ink'}>{check.data.matches === 0 ? 'Matches no tool now' : `Matches ${check.data.matches.toLocaleString()} ${check.data.matches === 1 ? 'tool' : 'tools'}`}</span>
            {check.data.warning ? <span className="block text-wait">{check.data.warning}</span> : null}
            {check.data.meant?.map((m) => <Button key={m} size="small" className="mt-1 mr-1.5 font-mono font-normal" onClick={() => { onPick(m) }}>{m}</Button>)}
            {check.data.examples.length > 0 ? <span className="mt-0.5 block font-mono break-all text-ink-2">{check.data.examples.slice(0, shown).join(', ')}{check.data.matches > shown ? ', …' : ''}</span> : null}
          </>
        ) : null}
    </div>
  )
}
