import type { ReactNode } from 'react'
import { cn } from './cn'

/** A page: one heading, what it is for, what can be done. */
export function Page({ title, hint, actions, children, wide }: { title: ReactNode; hint?: ReactNode; actions?: ReactNode; children: ReactNode; wide?: boolean }) {
  return (
    <div className={cn('mx-auto w-full px-4 pt-5 pb-16 sm:px-8 sm:pt-8', wide ? 'max-w-[1500px]' : 'max-w-4xl')}>
      <header className="mb-6 flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold tracking-tight text-balance">{title}</h1>
          {hint ? <p className="mt-1 max-w-prose text-sm text-ink-2">{hint}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

/** A panel on the page. */
export function Panel({ children, className, label }: { children: ReactNode; className?: string; label?: string }) {
  return (
    <section aria-label={label} className={cn('rounded-lg border border-line bg-panel', className)}>
      {children}
    </section>
  )
}

/** A labelled fact in a definition list. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-ink-2">{name}</dt>
      <dd className="mt-0.5 text-sm break-words">{children}</dd>
    </div>
  )
}
