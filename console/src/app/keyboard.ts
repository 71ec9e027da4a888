import { useEffect } from 'react'

/** Whether a key press belongs to a text field and not to the page. */
function typing(t: EventTarget | null): boolean {
  return t instanceof HTMLElement && (t.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(t.tagName))
}

function forThePage(e: KeyboardEvent): boolean {
  return !e.defaultPrevented && !e.ctrlKey && !e.metaKey && !e.altKey && !typing(e.target) && !document.querySelector('[role="dialog"]')
}

/** Calls `on` for key presses outside of text fields and dialogs; modifiers other than shift are left to the browser. */
export function useKeys(on: (key: string) => void, enabled = true): void {
  useEffect(() => {
    if (!enabled) return
    const listen = (e: KeyboardEvent) => { if (forThePage(e)) on(e.key) }
    addEventListener('keydown', listen)
    return () => { removeEventListener('keydown', listen) }
  }, [on, enabled])
}

/** Escape leaves a text field, so that the page's keys work again. */
export function useLeaveField(): void {
  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      if (e.key !== 'Escape' || e.defaultPrevented || !typing(e.target) || document.querySelector('[role="dialog"]')) return
      e.preventDefault()
      ;(e.target as HTMLElement).blur()
    }
    addEventListener('keydown', listen)
    return () => { removeEventListener('keydown', listen) }
  }, [])
}

const patience = 1_500

/** Calls `on` with the key that follows g. It listens before every page does, so that g a never is an a. */
export function useGo(on: (key: string) => void): void {
  useEffect(() => {
    let since = -Infinity
    const listen = (e: KeyboardEvent) => {
      if (!forThePage(e) || e.key === 'Shift') return
      if (e.timeStamp - since < patience) {
        since = -Infinity
        e.preventDefault()
        on(e.key)
      } else if (e.key === 'g') {
        since = e.timeStamp
        e.preventDefault()
      }
    }
    addEventListener('keydown', listen, { capture: true })
    return () => { removeEventListener('keydown', listen, { capture: true }) }
  }, [on])
}
