import { Link } from '@tanstack/react-router'
import { Check, Eye, KeyRound, MessageSquareText, Undo2, X } from 'lucide-react'
import { useCallback, useEffect, useRef, useState, type FormEvent } from 'react'
import type { Interaction } from '@/api/model'
import { useKeys } from '@/app/keyboard'
import { usePicture } from '@/runs/hooks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Field } from '@/ui/field'
import { Failure } from '@/ui/state'
import { Ago, span, useNow } from '@/ui/time'
import { useAnswer, type AnswerBody } from './hooks'
import { Request, visible } from './request'

const words: Record<string, { accept: string; decline: string; title: string }> = {
  approval: { title: 'Approve a final step', accept: 'Approve', decline: 'Decline' },
  value: { title: 'A value is needed', accept: 'Continue', decline: 'Do not give it' },
  challenge: { title: 'Solve a challenge', accept: 'I solved it, continue', decline: 'Stop the task' },
  stuck: { title: 'The agent is stuck', accept: 'I helped, continue', decline: 'Stop the task' },
  signin: { title: 'Sign in', accept: 'I signed in, continue', decline: 'Stop the task' },
  unknown: { title: 'Did it happen?', accept: 'It happened, continue', decline: 'Stop the task' },
}

/** How long an answer is held back so that it can be undone. */
const hold = 4_000

/** One question: what is asked, the exact request, what happens on each answer, and the answers. */
export function InteractionCard({ interaction: x, inRun, focused = true }: { interaction: Interaction; inRun?: boolean; focused?: boolean }) {
  const answer = useAnswer(x.id)
  const [held, setHeld] = useState<AnswerBody>()
  const text = words[x.reason] ?? { title: x.reason, accept: 'Accept', decline: 'Decline' }
  const { mutate } = answer
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const send = useCallback((body: AnswerBody) => {
    setHeld(body)
    timer.current = setTimeout(() => { setHeld(undefined); mutate(body) }, hold)
  }, [mutate])
  const undo = useCallback(() => { clearTimeout(timer.current); setHeld(undefined) }, [])
  useEffect(() => () => { clearTimeout(timer.current) }, [])

  const idle = !held && !answer.isPending && !answer.isSuccess
  useKeys(useCallback((key) => {
    if (key === 'u' && held) undo()
    if (!idle) return
    if (key === 'a' && x.allowed?.includes('accept')) send({ kind: 'accept' })
    if (key === 'x' && x.allowed?.includes('decline')) send({ kind: 'decline' })
    if (key === 'r') document.getElementById(`reply-${x.id}`)?.focus()
  }, [held, idle, send, undo, x]), focused)

  return (
    <article aria-labelledby={`q-${x.id}`} className={cn('rounded-lg border bg-panel p-4 sm:p-5', focused ? 'border-wait' : 'border-line')}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1 text-xs">
        <span className="font-medium text-wait">{text.title}</span>
        <span className="text-ink-2">asked <Ago at={x.createdAt} /> · <Expiry at={x.expiresAt} /></span>
      </div>
      <h2 id={`q-${x.id}`} className="mt-1.5 font-medium text-balance">{visible(x.title)}</h2>
      {x.detail ? <p className="mt-1 text-sm text-ink-2">{visible(x.detail)}</p> : null}
      <Request request={(x.request ?? {}) as Record<string, unknown>} />
      {x.picture ? <Shot runId={x.runId} name={x.picture} /> : null}
      <div className="mt-4">
        {answer.isSuccess ? <p role="status" className="text-sm text-ok">Answered. The task goes on.</p>
          : answer.isPending ? <p role="status" className="text-sm text-ink-2">Sending your answer…</p>
            : held ? (
              <p role="status" className="flex items-center gap-3 text-sm">
                {held.kind === 'decline' ? text.decline : held.kind === 'accept' ? text.accept : 'Your reply'}: sent in a moment.
                <Button size="small" onClick={undo}><Undo2 aria-hidden className="size-3.5" />Undo <kbd className="text-xs text-ink-2">u</kbd></Button>
              </p>
            ) : <Answers x={x} text={text} send={send} />}
        {answer.error ? <div className="mt-3"><Failure error={answer.error} safe="Nothing was sent to the page." /></div> : null}
      </div>
      {inRun ? null : <p className="mt-4 text-xs"><Link to="/runs/$id" params={{ id: x.runId }} className="text-accent underline underline-offset-4">See the whole run</Link></p>}
    </article>
  )
}

function Expiry({ at }: { at: string }) {
  const now = useNow(1000)
  const left = Date.parse(at) - now
  return <span className={left < 120_000 ? 'font-medium text-bad' : ''}>{left > 0 ? `${span(left)} left` : 'expired'}</span>
}

function Answers({ x, text, send }: { x: Interaction; text: { accept: string; decline: string }; send: (b: AnswerBody) => void }) {
  const allowed = x.allowed ?? []
  const kind = allowed.includes('secret') ? 'secret' : allowed.includes('value') ? 'value' : undefined
  const [value, setValue] = useState('')
  const submit = (e: FormEvent) => {
    e.preventDefault()
    if (value === '' || !kind) return
    send(kind === 'secret' ? { kind, secret: value } : { kind, value })
    setValue('')
  }
  return (
    <div className="space-y-4">
      {kind ? (
        <form onSubmit={submit} className="flex flex-wrap items-start gap-2">
          <Field
            id={`reply-${x.id}`} className="min-w-56 flex-1" label={kind === 'secret' ? 'Secret' : 'Value'} value={value} onChange={(e) => { setValue(e.target.value) }}
            type={kind === 'secret' ? 'password' : 'text'} autoComplete="off" spellCheck={false}
            hint={kind === 'secret' ? 'Sealed before it is stored; the model never sees it. It is typed only on the site shown above.' : 'The agent sees this text.'}
          />
          <Button type="submit" look="primary" className="mt-6" disabled={value === ''}>
            {kind === 'secret' ? <KeyRound aria-hidden className="size-4" /> : <MessageSquareText aria-hidden className="size-4" />}Give it
          </Button>
        </form>
      ) : null}
      <div className="flex flex-wrap gap-2">
        {allowed.includes('accept') ? <Button look={kind ? 'plain' : 'primary'} onClick={() => { send({ kind: 'accept' }) }}><Check aria-hidden className="size-4" />{text.accept}<kbd className="text-xs opacity-80">a</kbd></Button> : null}
        {allowed.includes('decline') ? <Button look="danger" onClick={() => { send({ kind: 'decline' }) }}><X aria-hidden className="size-4" />{text.decline}<kbd className="text-xs opacity-80">x</kbd></Button> : null}
      </div>
    </div>
  )
}

function Shot({ runId, name }: { runId: string; name: string }) {
  const picture = usePicture(runId, name)
  return picture.data ? (
    <details className="mt-3 text-sm">
      <summary className="inline-flex cursor-pointer items-center gap-1.5 text-ink-2 hover:text-ink"><Eye aria-hidden className="size-4" />See the page</summary>
      <img src={picture.data.url} alt="The page when this was asked" className="mt-2 max-h-96 w-auto rounded border border-line" />
    </details>
  ) : null
}
