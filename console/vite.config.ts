import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import { tanstackRouter } from '@tanstack/router-plugin/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

// In development the console runs on Vite's port and passes API calls and the socket on to a local host.
const host = process.env.PAGS_SERVER ?? 'http://127.0.0.1:4788'

export default defineConfig({
  // One script: a console that is open keeps working in every room while its host restarts or is replaced.
  plugins: [tanstackRouter({ target: 'react', autoCodeSplitting: false }), react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  build: { target: 'es2022', sourcemap: false, assetsInlineLimit: 0, chunkSizeWarningLimit: 700 },
  test: { include: ['src/**/*.test.ts'] },
  server: { proxy: { '/v1': host, '/blobs': host, '/ws': { target: host, ws: true } } },
})
