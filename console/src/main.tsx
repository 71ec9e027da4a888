import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createRouter, RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { SignedOut } from './api/call'
import { Problem } from './api/problem'
import './app.css'
import { routeTree } from './routeTree.gen'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // What the request itself got wrong does not get better by asking again.
      retry: (n, e) => !(e instanceof SignedOut) && !(e instanceof Problem && e.status >= 400 && e.status < 500) && n < 2,
    },
  },
})

const router = createRouter({ routeTree, context: { queries }, defaultPreload: 'intent', scrollRestoration: true })

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
