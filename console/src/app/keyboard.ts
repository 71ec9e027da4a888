import { useEffect } from 'react'

/** Whether a key press belongs to a text field and not to the page. */
function typing(t: EventTarget | null): boolean {
  return t instanceof HTMLElement && (t.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(t.tagName))
}

/** Calls `on` for key presses outside of text fields; modifiers other than shift are left to the browser. */
export function useKeys(on: (key: string, e: KeyboardEvent) => void, enabled = true): void {
  useEffect(() => {
    if (!enabled) return
    const listen = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return
      on(e.key, e)
    }
    addEventListener('keydown', listen)
    return () => { removeEventListener('keydown', listen) }
  }, [on, enabled])
}
