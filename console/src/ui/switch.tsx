import { Switch as S } from 'radix-ui'
import { useId } from 'react'
import { cn } from './cn'

/** On or off, at once. The label says what; while busy it cannot be pressed again. */
export function Switch({ label, hidden, checked, onChange, busy, hint }: { label: string; hidden?: boolean; checked: boolean; onChange: (v: boolean) => void; busy?: boolean; hint?: string }) {
  const id = useId()
  return (
    <span className="inline-flex items-start gap-2">
      <S.Root
        id={id} checked={checked} disabled={busy === true} onCheckedChange={onChange} aria-label={hidden ? label : undefined} aria-describedby={hint ? `${id}-hint` : undefined}
        className="relative inline-flex h-6 w-10 shrink-0 items-center rounded-full border border-line-strong bg-panel px-[3px] disabled:opacity-60 data-[state=checked]:border-ink data-[state=checked]:bg-ink"
      >
        <S.Thumb className="block size-4 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-4 data-[state=checked]:bg-bg" />
      </S.Root>
      {hidden ? null : (
        <span className="min-w-0">
          <label htmlFor={id} className="block text-sm leading-6">{label}</label>
          {hint ? <span id={`${id}-hint`} className={cn('block text-xs text-ink-2')}>{hint}</span> : null}
        </span>
      )}
    </span>
  )
}
