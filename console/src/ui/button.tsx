import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle } from 'lucide-react'
import type { ButtonHTMLAttributes } from 'react'
import { cn } from './cn'

export const buttonStyle = cva(
  'inline-flex min-h-9 items-center justify-center gap-2 rounded-md border px-3.5 text-sm font-medium transition-colors disabled:opacity-55 select-none whitespace-nowrap',
  {
    variants: {
      look: {
        primary: 'border-transparent bg-accent text-accent-ink hover:brightness-110',
        plain: 'border-line bg-panel text-ink hover:bg-sunken',
        quiet: 'border-transparent bg-transparent text-ink-2 hover:bg-sunken hover:text-ink',
        danger: 'border-line bg-panel text-bad hover:bg-bad-soft',
      },
      size: { normal: '', small: 'min-h-7 px-2.5 text-[13px]', icon: 'min-h-8 min-w-8 px-0' },
    },
    defaultVariants: { look: 'plain', size: 'normal' },
  },
)

type Props = ButtonHTMLAttributes<HTMLButtonElement> & VariantProps<typeof buttonStyle> & { busy?: boolean }

/** A button. While busy it keeps its label and width and cannot be pressed again. */
export function Button({ look, size, busy, className, children, disabled, type = 'button', ...rest }: Props) {
  return (
    <button type={type} className={cn(buttonStyle({ look, size }), className)} disabled={disabled ?? busy} aria-busy={busy} {...rest}>
      {busy ? <LoaderCircle aria-hidden className="size-4 animate-spin" /> : null}
      {children}
    </button>
  )
}
