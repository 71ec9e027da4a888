import { useEffect } from 'react'
import { places } from './places'

/** Keeps the tab's title and icon: what needs the person comes first. */
export function useTitle(path: string, open: number): void {
  useEffect(() => {
    const name = places.find((p) => path.startsWith(p.to))?.name
    document.title = `${open > 0 ? `needs you (${open.toString()}) · ` : ''}${name ? `${name} · ` : ''}pags`
    const icon = document.getElementById('favicon')
    if (icon instanceof HTMLLinkElement) icon.href = open > 0 ? '/favicon-waiting.svg' : '/favicon.svg'
  }, [path, open])
}
