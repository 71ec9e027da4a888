import { Ban, CheckCircle2, CircleDashed, CircleX, Hand, LoaderCircle } from 'lucide-react'
import { cn } from './cn'

export type RunStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled'

const looks: Record<RunStatus, { word: string; icon: typeof Ban; style: string; spin?: boolean }> = {
  queued: { word: 'Queued', icon: CircleDashed, style: 'bg-busy-soft text-busy' },
  running: { word: 'Running', icon: LoaderCircle, style: 'bg-busy-soft text-busy', spin: true },
  waiting: { word: 'Waiting', icon: Hand, style: 'bg-wait-soft text-wait' },
  completed: { word: 'Completed', icon: CheckCircle2, style: 'bg-ok-soft text-ok' },
  failed: { word: 'Failed', icon: CircleX, style: 'bg-bad-soft text-bad' },
  cancelled: { word: 'Cancelled', icon: Ban, style: 'bg-hover text-ink-2' },
}

const reasons: Record<string, string> = {
  approval: 'your approval',
  value: 'a value from you',
  challenge: 'a challenge to be solved',
  stuck: 'your help',
  signin: 'a sign-in',
  runner: 'your machine',
  time: 'its time',
  unknown: 'you to check',
}

/** A run's status: icon, word and colour together, never colour alone. */
export function Status({ status, waitingFor, className }: { status: RunStatus; waitingFor?: string | undefined; className?: string }) {
  const { word, icon: Icon, style, spin } = looks[status]
  const text = status === 'waiting' && waitingFor ? `Waiting for ${reasons[waitingFor] ?? waitingFor}` : word
  return (
    <span className={cn('inline-flex items-center gap-1.5 rounded-full px-2 py-px text-xs font-medium whitespace-nowrap', style, className)}>
      <Icon aria-hidden className={cn('size-3.5', spin && 'animate-spin')} />
      {text}
    </span>
  )
}

export function over(s: RunStatus): boolean {
  return s === 'completed' || s === 'failed' || s === 'cancelled'
}
