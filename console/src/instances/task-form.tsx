import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import { Button } from '@/ui/button'
import { Area, Check, Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useBrowse } from './hooks'

export type Draft = { url?: string | undefined; objective?: string | undefined }

/** Starts a browser task. One key per filled-in form: pressing twice starts one run. */
export function TaskForm({ instanceId, readOnly, draft }: { instanceId: string; readOnly: boolean; draft: Draft }) {
  const [url, setUrl] = useState(draft.url ?? '')
  const [objective, setObjective] = useState(draft.objective ?? '')
  const [approve, setApprove] = useState<'commit' | 'never'>('commit')
  const [dryRun, setDryRun] = useState(false)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const browse = useBrowse(instanceId)
  const navigate = useNavigate()
  const wrong = (field: string) => (browse.error instanceof Problem ? browse.error.fields.find((f) => f.location === `body.${field}`)?.message : undefined)

  const submit = (e: FormEvent) => {
    e.preventDefault()
    browse.mutate({ key, body: { url, objective, ...(readOnly ? {} : { approve, dryRun }) } }, {
      onSuccess: (run) => { void navigate({ to: '/runs/$id', params: { id: run.id } }) },
      onError: (err) => { if (err instanceof Problem && err.status >= 400) setKey(crypto.randomUUID()) },
    })
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label="Start at" type="url" required placeholder="https://" value={url} onChange={(e) => { setUrl(e.target.value) }} error={wrong('url')} />
      <Area label="Objective" required value={objective} onChange={setObjective} maxLength={4000} error={wrong('objective')} />
      {readOnly ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Choice label="Final steps" value={approve} onChange={(v) => { setApprove(v === 'never' ? 'never' : 'commit') }} options={[['commit', 'Ask me before each'], ['never', 'Do not ask me']]} hint="Sending, buying, deleting and the like." />
          <div className="sm:pt-6.5"><Check label="Dry run" checked={dryRun} onChange={setDryRun} hint="Everything but the final step." /></div>
        </div>
      )}
      {browse.error && !wrong('url') && !wrong('objective') ? <Failure error={browse.error} safe="Nothing was started." /> : null}
      <Button type="submit" look="primary" busy={browse.isPending}>Start the task</Button>
    </form>
  )
}
