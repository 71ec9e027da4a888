import type { ReactNode } from 'react'
import { cn } from './cn'

/** A page: one heading, what it is for, what can be done. `trail` leads back up. */
export function Page({ title, hint, trail, actions, children, wide }: { title: ReactNode; hint?: ReactNode; trail?: ReactNode; actions?: ReactNode; children: ReactNode; wide?: boolean }) {
  return (
    <div className={cn('mx-auto w-full px-4 pt-5 pb-16 sm:px-8 sm:pt-7', wide ? 'max-w-[1600px]' : 'max-w-5xl')}>
      <header className="mb-5 grid gap-x-6 gap-y-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-start">
        <div className="min-w-0">
          {trail ? <nav aria-label="Breadcrumb" className="mb-1 flex min-w-0 gap-1.5 text-xs text-ink-2">{trail}</nav> : null}
          <h1 className="text-xl font-semibold tracking-tight text-balance break-words">{title}</h1>
          {hint ? <p className="mt-1 max-w-2xl text-sm text-pretty text-ink-2">{hint}</p> : null}
        </div>
        {actions ? <div className="flex flex-wrap items-center gap-2">{actions}</div> : null}
      </header>
      {children}
    </div>
  )
}

/** A panel on the page. With a label it is a landmark of its own. */
export function Panel({ children, className, label }: { children: ReactNode; className?: string; label?: string }) {
  const style = cn('rounded-lg border border-line bg-panel', className)
  return label ? <section aria-label={label} className={style}>{children}</section> : <div className={style}>{children}</div>
}

/** A labelled fact in a definition list. */
export function Fact({ name, children, className }: { name: string; children: ReactNode; className?: string }) {
  return (
    <div className={cn('min-w-0', className)}>
      <dt className="text-xs text-ink-2">{name}</dt>
      <dd className="mt-0.5 text-sm break-words tabular-nums">{children}</dd>
    </div>
  )
}
