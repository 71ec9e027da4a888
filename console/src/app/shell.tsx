import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useCallback, useRef, useState } from 'react'
import { useOpenCount } from '@/interactions/hooks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { CommandMenu } from './command'
import { KeyHelp } from './keyhelp'
import { useKeys } from './keyboard'
import { places } from './places'
import { useSession } from './session'
import { useTitle } from './title'

/** The frame around every page: navigation left (a bar below on a phone), the page, the command menu. */
export function Shell() {
  const path = useRouterState({ select: (s) => s.location.pathname })
  const { signedIn } = useSession()
  if (path === '/signin') return <main id="main"><Outlet /></main>
  if (signedIn === false) return <Navigate to="/signin" />
  if (signedIn === undefined) return null
  return <Rooms path={path} />
}

function Rooms({ path }: { path: string }) {
  const open = useOpenCount()
  const [menu, setMenu] = useState(false)
  const [help, setHelp] = useState(false)
  const { go } = useSession()
  const waitingForPlace = useRef(false)
  useTitle(path, open)

  useKeys(useCallback((key) => {
    if (waitingForPlace.current) {
      waitingForPlace.current = false
      const place = places.find((p) => p.key === key)
      if (place) go(place.to)
      return
    }
    if (key === 'g') waitingForPlace.current = true
    if (key === '?') setHelp(true)
    if (key === '/') setMenu(true)
  }, [go]))

  return (
    <div className="flex min-h-dvh flex-col md:grid md:grid-cols-[13.5rem_1fr]">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-panel focus:px-3 focus:py-2">Skip to content</a>
      <nav aria-label="Rooms" className="sticky bottom-0 z-30 order-last border-t border-line bg-panel md:static md:order-none md:border-t-0 md:border-r md:bg-transparent">
        <div className="md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:px-3 md:py-5">
          <Link to="/runs" className="mb-5 hidden items-center gap-2 px-2 font-semibold tracking-tight md:flex"><img src="/favicon.svg" alt="" className="size-6" />pags</Link>
          <Button look="plain" size="small" className="mb-4 hidden w-full justify-between text-ink-2 md:inline-flex" onClick={() => { setMenu(true) }}>
            <span className="inline-flex items-center gap-2"><Search aria-hidden className="size-3.5" />Search or do</span>
            <kbd className="font-sans text-xs">⌘K</kbd>
          </Button>
          <ul className="flex justify-around overflow-x-auto md:block md:space-y-0.5">
            {places.map(({ to, name, icon: Icon }) => (
              <li key={to} className="shrink-0">
                <Link
                  to={to}
                  className={cn('relative flex min-h-11 min-w-11 flex-col items-center justify-center gap-0.5 rounded-md px-2 text-[11px] text-ink-2 hover:text-ink md:min-h-8 md:flex-row md:justify-start md:gap-2.5 md:text-sm md:hover:bg-sunken')}
                  activeProps={{ className: 'text-ink md:bg-sunken font-medium', 'aria-current': 'page' }}
                >
                  <Icon aria-hidden className="size-[18px] md:size-4" />
                  {name}
                  {to === '/inbox' && open > 0 ? (
                    <span className="absolute top-0.5 right-1 rounded-full bg-wait-soft px-1.5 text-[11px] font-semibold text-wait md:static md:ml-auto">
                      {open}<span className="sr-only"> waiting for you</span>
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ul>
          <p className="mt-auto hidden px-2 text-xs text-ink-2 md:block">Press <kbd className="font-mono">?</kbd> for keys</p>
        </div>
      </nav>
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none"><Outlet /></main>
      <CommandMenu open={menu} onOpenChange={setMenu} />
      <KeyHelp open={help} onOpenChange={setHelp} />
    </div>
  )
}
