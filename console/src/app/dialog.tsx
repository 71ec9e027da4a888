import { X } from 'lucide-react'
import { Dialog as D } from 'radix-ui'
import type { ReactNode } from 'react'
import { buttonStyle } from '@/ui/button'
import { cn } from '@/ui/cn'

/** A modal dialog: focus goes in, Escape and the cross close it, focus goes back. */
export function Dialog({ open, onOpenChange, title, hint, children, className }: { open: boolean; onOpenChange: (open: boolean) => void; title: string; hint?: string; children: ReactNode; className?: string }) {
  return (
    <D.Root open={open} onOpenChange={onOpenChange}>
      <D.Portal>
        <D.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <D.Content className={cn('fixed top-[12vh] left-1/2 z-50 max-h-[76vh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-auto rounded-xl border border-line bg-panel p-5 shadow-xl', className)} {...(hint ? {} : { 'aria-describedby': undefined })}>
          <div className="mb-4 flex items-start justify-between gap-4">
            <div>
              <D.Title className="font-semibold">{title}</D.Title>
              {hint ? <D.Description className="mt-1 text-sm text-ink-2">{hint}</D.Description> : null}
            </div>
            <D.Close aria-label="Close" className={buttonStyle({ look: 'quiet', size: 'icon' })}><X aria-hidden className="size-4" /></D.Close>
          </div>
          {children}
        </D.Content>
      </D.Portal>
    </D.Root>
  )
}
