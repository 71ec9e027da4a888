import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'
import { cn } from './cn'

export const buttonStyle = cva(
  'inline-flex min-h-8 items-center justify-center gap-2 rounded-md border px-3 text-sm font-medium transition-colors select-none whitespace-nowrap disabled:opacity-50',
  {
    variants: {
      look: {
        primary: 'border-transparent bg-ink text-bg hover:bg-ink/85',
        plain: 'border-line bg-panel text-ink hover:bg-hover',
        quiet: 'border-transparent bg-transparent text-ink-2 hover:bg-hover hover:text-ink',
        danger: 'border-line bg-panel text-bad hover:bg-bad-soft',
      },
      size: { normal: '', small: 'min-h-7 px-2.5 text-xs', icon: 'min-h-7 min-w-7 px-0' },
    },
    defaultVariants: { look: 'plain', size: 'normal' },
  },
)

type Props = ButtonHTMLAttributes<HTMLButtonElement> & VariantProps<typeof buttonStyle> & { busy?: boolean }

/** A button. While busy it keeps its label and width and cannot be pressed again. */
export function Button({ look, size, busy, className, children, disabled, type = 'button', ...rest }: Props) {
  return (
    <button type={type} className={cn(buttonStyle({ look, size }), className)} disabled={disabled === true || busy === true} aria-busy={busy} {...rest}>
      {busy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : null}
      {children}
    </button>
  )
}

/** The key that does the same. Screen readers are told by the button's aria-keyshortcuts. */
export function Keycap({ children }: { children: string }) {
  return <kbd aria-hidden className="hidden min-w-[1.1rem] rounded border border-current/25 px-1 text-center font-sans text-[11px] leading-4 font-normal md:inline-block">{children}</kbd>
}
