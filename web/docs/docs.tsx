import { useEffect } from 'preact/hooks'

import { Frame } from '#web/ui/frame.tsx'

/** The page `/docs`: the API description, which the files of Swagger UI render. */
export function Docs() {
  useEffect(() => {
    const style = document.createElement('link')
    style.rel = 'stylesheet'
    style.href = 'docs/swagger-ui.css'
    document.head.prepend(style)
    document.documentElement.classList.toggle('dark-mode', matchMedia('(prefers-color-scheme: dark)').matches)
    void load('docs/swagger-ui-bundle.js').then(() => load('docs/init.js'))
  }, [])
  return (
    <Frame
      title="API documentation"
      isNarrow={false}
      about={
        <>
          Every figure of these pages is one request away. Also <a href="docs/api.md">as text</a>.
        </>
      }
    >
      <div id="api" />
    </Frame>
  )
}

/** Runs a script of this service. */
const load = (src: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = src
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.head.append(script)
  })
