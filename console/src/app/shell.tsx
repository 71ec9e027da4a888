import { Link, Navigate, Outlet, useNavigate, useRouterState } from '@tanstack/react-router'
import { Ellipsis, Search } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useOpenCount } from '@/interactions/hooks'
import { Button } from '@/ui/button'
import { cn } from '@/ui/cn'
import { Failure } from '@/ui/state'
import { CommandMenu } from './command'
import { KeyHelp } from './keyhelp'
import { useGo, useKeys, useLeaveField } from './keyboard'
import { useLive } from './live'
import { places } from './places'
import { useSession } from './session'
import { useTitle } from './title'

/** The frame around every page: navigation left (a bar below on a phone), the page, the command menu. */
export function Shell() {
  const path = useRouterState({ select: (s) => s.location.pathname })
  const signin = useRouterState({ select: (s) => s.matches.some((m) => m.routeId === '/signin') }) // the room that is shown, not the one on its way
  return signin ? <main id="main"><Outlet /></main> : <House path={path} />
}

function House({ path }: { path: string }) {
  const { signedIn, error, retry } = useSession()
  if (error) return <main id="main" className="mx-auto max-w-xl p-6"><h1 className="sr-only">pags</h1><Failure error={error} retry={retry} safe="Nothing is lost; the page comes back with the host." /></main>
  if (signedIn === false) return <Navigate to="/signin" />
  if (signedIn === undefined) return null
  return <Rooms path={path} />
}

const item = 'relative flex min-h-12 w-full min-w-12 flex-col items-center justify-center gap-0.5 text-[11px] text-ink-2 hover:text-ink md:min-h-8 md:flex-row md:justify-start md:gap-2.5 md:rounded-md md:px-2 md:text-sm md:hover:bg-hover'

function Rooms({ path }: { path: string }) {
  const open = useOpenCount()
  const [menu, setMenu] = useState(false)
  const [help, setHelp] = useState(false)
  const navigate = useNavigate()
  useLive()
  useLeaveField()
  useTitle(path, open)
  useGo(useCallback((key) => {
    const place = places.find((p) => p.key === key)
    if (place) void navigate({ to: place.to })
  }, [navigate]))
  useKeys(useCallback((key) => {
    if (key === '?') setHelp(true)
    if (key === '/') setMenu(true)
  }, []))

  return (
    <div className="flex min-h-dvh flex-col md:grid md:grid-cols-[13rem_minmax(0,1fr)]">
      <a href="#main" className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:border focus:border-line focus:bg-panel focus:px-3 focus:py-2">Skip to content</a>
      <nav aria-label="Rooms" className="sticky bottom-0 z-30 order-last border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] md:static md:order-none md:border-t-0 md:border-r md:bg-transparent">
        <div className="md:sticky md:top-0 md:flex md:h-dvh md:flex-col md:overflow-y-auto md:px-3 md:py-4">
          <Link to="/runs" className="mb-4 hidden items-center gap-2 self-start rounded-md px-2 py-0.5 text-base font-semibold tracking-tight md:flex"><img src="/favicon.svg" alt="" className="size-5" />pags</Link>
          <Button size="small" className="mb-3 hidden w-full justify-between px-2 font-normal text-ink-2 md:inline-flex" aria-keyshortcuts="Control+K Meta+K" onClick={() => { setMenu(true) }}>
            <span className="inline-flex items-center gap-2.5"><Search aria-hidden className="size-3.5" />Search or do</span>
            <kbd aria-hidden className="font-sans text-[11px]">⌘K</kbd>
          </Button>
          <ul className="grid grid-cols-5 md:block md:space-y-px">
            {places.map(({ to, name, icon: Icon, bar, group }, i) => (
              <li key={to} className={cn(!bar && 'hidden md:block', group !== places[i - 1]?.group && i > 0 && 'md:mt-3')}>
                <Link to={to} className={item} activeProps={{ className: 'text-ink font-medium md:bg-hover', 'aria-current': 'page' }}>
                  <Icon aria-hidden className="size-[18px] md:size-4" />
                  {name}
                  {to === '/inbox' && open > 0 ? (
                    <span className="absolute top-1 left-1/2 ml-1.5 rounded-full bg-wait-soft px-1.5 text-[11px] leading-4 font-semibold text-wait tabular-nums md:static md:ml-auto">
                      {open}<span className="sr-only"> waiting for you</span>
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
            <li className="md:hidden">
              <button type="button" className={item} onClick={() => { setMenu(true) }}><Ellipsis aria-hidden className="size-[18px]" />More</button>
            </li>
          </ul>
          <button type="button" aria-keyshortcuts="?" className="mt-auto hidden items-center gap-2 self-start rounded-md px-2 py-1 text-xs text-ink-2 hover:text-ink md:flex" onClick={() => { setHelp(true) }}>
            <kbd aria-hidden className="rounded border border-line px-1.5 font-sans">?</kbd>Shortcuts
          </button>
        </div>
      </nav>
      <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none"><Outlet /></main>
      <CommandMenu open={menu} onOpenChange={setMenu} />
      <KeyHelp open={help} onOpenChange={setHelp} />
    </div>
  )
}
