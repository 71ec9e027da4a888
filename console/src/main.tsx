import '@fontsource-variable/inter/wght.css'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { retryDelay, SignedOut, worthAnother } from './api/problem'
import './app.css'
import { routeTree } from './routeTree.gen'
import { Page } from './ui/page'
import { Failure } from './ui/state'

const signedOut = (e: unknown) => { if (e instanceof SignedOut) queries.setQueryData(['session'], false) }

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signedOut }),
  mutationCache: new MutationCache({ onError: signedOut }),
  defaultOptions: { queries: { staleTime: 2_000, retry: worthAnother, retryDelay } },
})

const router = createRouter({
  routeTree, context: { queries }, scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => <Page title="This page broke"><Failure error={error instanceof Error ? error : new Error('Something unexpected happened')} retry={reset} safe="Your runs are not touched by it." /></Page>,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
