# The service. Its models are in the image, so that it starts without a network:
#   docker build -t semscale .
#   docker run -p 8000:8000 -e SEMSCALE_TOKEN=... -v jobs:/jobs semscale
FROM python:3.12.12-slim-bookworm

# Names of models as `semscale models pull` takes them; the service loads these two unless --embedder names one.
ARG MODELS="all-MiniLM-L6-v2 e5-small"
# Where pip finds packages, for builds behind a mirror; without a password, as the image's history shows it.
ARG PIP_INDEX_URL

WORKDIR /semscale
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir ".[serve]" \
    && useradd --uid 10001 --create-home semscale \
    && mkdir /jobs \
    && chown semscale /jobs

# By its number, by which Kubernetes sees that it is not root.
USER 10001
WORKDIR /home/semscale
RUN for model in $MODELS; do semscale models pull "$model" || exit 1; done

# From here on nothing is fetched, whatever a request names.
ENV SEMSCALE_OFFLINE=1
VOLUME /jobs
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s \
    CMD ["python", "-c", "from http.client import HTTPConnection as To; to = To('127.0.0.1', 8000, timeout=4); to.request('GET', '/ready'); raise SystemExit(to.getresponse().status != 200)"]
ENTRYPOINT ["semscale", "serve", "--host", "0.0.0.0", "--jobs", "/jobs"]
