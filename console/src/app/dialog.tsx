import { X } from 'lucide-react'
import { Dialog as D } from 'radix-ui'
import { useRef, type ReactNode } from 'react'
import { buttonStyle } from '@/ui/button'
import { cn } from '@/ui/cn'

/** A modal dialog: focus goes in, Escape closes it, focus goes back. A bare one shows its content alone. */
export function Dialog({ open, onOpenChange, title, bare, children }: { open: boolean; onOpenChange: (open: boolean) => void; title: string; bare?: boolean; children: ReactNode }) {
  const before = useRef<Element>(null)
  return (
    <D.Root open={open} onOpenChange={onOpenChange}>
      <D.Portal>
        <D.Overlay className="fixed inset-0 z-40 bg-black/35" />
        <D.Content
          aria-describedby={undefined} onOpenAutoFocus={() => { before.current = document.activeElement }}
          onCloseAutoFocus={(e) => {
            e.preventDefault()
            if (before.current instanceof HTMLElement) before.current.focus()
          }}
          className={cn('fixed top-[10vh] left-1/2 z-50 max-h-[80vh] w-[min(36rem,calc(100vw-1.5rem))] -translate-x-1/2 rounded-xl border border-line bg-panel shadow-2xl', bare ? 'flex flex-col overflow-hidden' : 'overflow-auto p-5')}
        >
          <div className={cn('mb-4 flex items-center justify-between gap-4', bare && 'sr-only')}>
            <D.Title className="text-base font-semibold">{title}</D.Title>
            {bare ? null : <D.Close aria-label="Close" className={buttonStyle({ look: 'quiet', size: 'icon' })}><X aria-hidden className="size-4" /></D.Close>}
          </div>
          {children}
        </D.Content>
      </D.Portal>
    </D.Root>
  )
}
