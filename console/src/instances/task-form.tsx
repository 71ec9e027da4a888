import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { Problem } from '@/api/problem'
import { Button } from '@/ui/button'
import { Area, Check, Choice, Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { useBrowse } from './hooks'

/** Starts a browser task. One key per filled-in form: pressing twice starts one run. */
export function TaskForm({ instanceId, readOnly }: { instanceId: string; readOnly: boolean }) {
  const [url, setUrl] = useState('')
  const [objective, setObjective] = useState('')
  const [approve, setApprove] = useState('commit')
  const [dryRun, setDryRun] = useState(false)
  const [key, setKey] = useState(() => crypto.randomUUID())
  const browse = useBrowse(instanceId)
  const navigate = useNavigate()
  const wrong = browse.error instanceof Problem ? browse.error.fields.find((f) => f.location === 'body.url')?.message : undefined

  const submit = (e: FormEvent) => {
    e.preventDefault()
    browse.mutate({ key, body: { url, objective, ...(dryRun ? { dryRun } : {}), ...(readOnly ? {} : { approve }) } }, {
      onSuccess: (run) => { void navigate({ to: '/runs/$id', params: { id: run.id } }) },
      onError: () => { setKey(crypto.randomUUID()) },
    })
  }
  return (
    <form onSubmit={submit} className="space-y-4">
      <Field label="Start at" type="url" required placeholder="https://" value={url} onChange={(e) => { setUrl(e.target.value) }} error={wrong} hint="The page the browser opens first." />
      <Area label="Objective" required value={objective} onChange={setObjective} maxLength={4000} hint="What is to be achieved, in your own words." />
      {readOnly ? null : (
        <div className="grid gap-4 sm:grid-cols-2">
          <Choice label="Final steps" value={approve} onChange={setApprove} options={[['commit', 'Ask me before each'], ['never', 'Do not ask me']]} hint="Sending, buying, deleting and the like." />
          <div className="sm:pt-7"><Check label="Dry run" checked={dryRun} onChange={setDryRun} hint="Do everything but the final step." /></div>
        </div>
      )}
      {browse.error && !wrong ? <Failure error={browse.error} safe="Nothing was started." /> : null}
      <Button type="submit" look="primary" busy={browse.isPending}>Start the task</Button>
    </form>
  )
}
