"""Three PostgreSQL nodes under Patroni, which makes a replica the primary when the primary is lost."""

from __future__ import annotations

import base64
import http.client
import json
import os
import secrets
import subprocess
import urllib.request
from dataclasses import dataclass

from machine import Failure, Machine

NAMES = ["db1", "db2", "db3"]

# Patroni agrees on the primary through Raft, between the three nodes themselves, so no etcd is needed.
# In synchronous mode it names one replica in synchronous_standby_names, and a commit waits for that
# replica's disk. Only that replica may take over, so no acknowledged save can be lost. Not strict: a
# primary without replicas continues to accept saves alone. After that, no replica may take over until
# it has caught up.
#
# A replica that is silent is given up after wal_sender_timeout, and then another one confirms commits.
CONFIGURATION = """\
scope: fave-games
name: {name}
restapi:
  listen: {address}:{api}
  connect_address: {address}:{api}
  authentication: {{username: patroni, password: {password}}}
raft:
  data_dir: {folder}/raft
  self_addr: {address}:{raft}
  partner_addrs: {partners}
  password: {password}
bootstrap:
  dcs:
    ttl: {ttl}
    loop_wait: {loop_wait}
    retry_timeout: {retry_timeout}
    maximum_lag_on_failover: 1048576
    synchronous_mode: true
    synchronous_mode_strict: false
    synchronous_node_count: 1
    postgresql:
      use_pg_rewind: true
      use_slots: true
      parameters:
        max_connections: 200
        shared_buffers: 64MB
        max_wal_size: 512MB
        wal_keep_size: 128MB
        random_page_cost: 1.1
        jit: 'off'
        timezone: UTC
        log_timezone: UTC
        wal_sender_timeout: 3s
        wal_receiver_timeout: 5s
        tcp_keepalives_idle: 3
        tcp_keepalives_interval: 1
        tcp_keepalives_count: 3
  initdb: [{{encoding: UTF8}}, {{locale: C.UTF-8}}, data-checksums]
postgresql:
  listen: {address}:{sql}
  connect_address: {address}:{sql}
  data_dir: {folder}/data
  bin_dir: {programs}
  pgpass: {folder}/pgpass
  authentication:
    superuser: {{username: postgres, password: {password}}}
    replication: {{username: replicator, password: {password}}}
    rewind: {{username: rewinder, password: {password}}}
  parameters:
    unix_socket_directories: ''
  pg_hba:
  - host all all samenet scram-sha-256
  - host replication replicator samenet scram-sha-256
"""


@dataclass(frozen=True)
class Member:
    """A database as Patroni sees it. Its role is leader, sync_standby or replica."""

    name: str
    role: str
    state: str
    lag: int | str  # in bytes, or "unknown"


@dataclass(frozen=True)
class Ports:
    sql: int
    api: int
    raft: int


class Databases:
    def __init__(self, machine: Machine, programs: str, ttl: int) -> None:
        self.machine, self.programs, self.ttl = machine, programs, ttl
        self.password = secrets.token_hex(16)
        # Processes find the password there: anyone can see their arguments.
        self.password_file = machine.state / "password"
        self.ports = {
            name: Ports(machine.port(5432), machine.port(8008), machine.port(2222)) for name in NAMES}

    def start_all(self) -> None:
        """Starts all of them; the password's file is for libpq in what this process starts."""
        self.password_file.unlink(missing_ok=True)
        with open(os.open(self.password_file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.write(f"*:*:*:*:{self.password}\n")
        os.environ["PGPASSFILE"] = str(self.password_file)
        for name in NAMES:
            self.write_configuration(name)
            self.start(name)

    def start(self, name: str) -> None:
        file = self.machine.folder(name) / "patroni.yml"
        self.machine.launch(name, [*self.machine.as_owner(), "patroni", str(file)])

    def write_configuration(self, name: str) -> None:
        # Patroni's manual wants loop_wait + 2 × retry_timeout to be at most ttl, so that a primary that
        # can't reach the others has become read-only before one of them takes over.
        loop_wait = 2
        ports, address, folder = self.ports[name], self.machine.address, self.machine.make_folder(name)
        file = folder / "patroni.yml"
        file.write_text(CONFIGURATION.format(
            name=name, address=address(name), folder=folder, password=self.password,
            api=ports.api, raft=ports.raft, sql=ports.sql, programs=self.programs,
            partners=[f"{address(other)}:{self.ports[other].raft}" for other in NAMES if other != name],
            ttl=self.ttl, loop_wait=loop_wait, retry_timeout=min(5, (self.ttl - loop_wait) // 2)))
        file.chmod(0o600)
        os.chown(file, self.machine.owner.pw_uid, self.machine.owner.pw_gid)

    # -- Patroni's word -------------------------------------------------------------------------

    def cluster_url(self, name: str) -> str:
        return f"http://{self.machine.address(name)}:{self.ports[name].api}/cluster"

    def members(self) -> list[Member]:
        """The members of the cluster as the first that responds sees them; none if none responds."""
        for name in NAMES:
            if not self.machine.is_running(name):
                continue
            try:
                members = json.loads(request(self.cluster_url(name)))["members"]
            except (OSError, http.client.HTTPException, ValueError, KeyError):
                continue
            return [Member(m["name"], m["role"], m["state"], m.get("lag", 0)) for m in members]
        return []

    def find(self, role: str) -> str | None:
        return next((member.name for member in self.members() if member.role == role), None)

    def find_surely(self, role: str) -> str:
        name = self.find(role)
        if name is None:
            raise Failure(f"no database is {role}, as Patroni sees it.")
        return name

    def are_whole(self) -> bool:
        """Whether there are a primary, a replica that confirms commits, and one more, none behind."""
        roles = sorted(
            member.role for member in self.members()
            if member.state in ("running", "streaming") and (member.role == "leader" or member.lag == 0))
        return roles == ["leader", "replica", "sync_standby"]

    def switch_over(self) -> None:
        """Hands over from the primary to the replica that confirms commits, as before maintenance."""
        primary = self.find_surely("leader")
        signed = base64.b64encode(f"patroni:{self.password}".encode()).decode()
        request(
            self.cluster_url(primary).replace("/cluster", "/switchover"), timeout=60,
            body=json.dumps({"leader": primary, "candidate": self.find_surely("sync_standby")}),
            fields={"Authorization": f"Basic {signed}", "Content-Type": "application/json"})

    # -- SQL ------------------------------------------------------------------------------------

    def url(self, database: str = "fave_games", role: str = "fave") -> str:
        """An address that finds the current primary, as DATABASE_URL of the servers does."""
        hosts = ",".join(f"{self.machine.address(name)}:{self.ports[name].sql}" for name in NAMES)
        return f"postgresql://{role}@{hosts}/{database}?target_session_attrs=read-write&connect_timeout=2"

    def url_of(self, name: str) -> str:
        """The address of one database, for its superuser."""
        host = f"{self.machine.address(name)}:{self.ports[name].sql}"
        return f"postgresql://postgres@{host}/postgres?connect_timeout=2"

    def psql(self, url: str) -> list[str]:
        return [f"{self.programs}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", url]

    def query(self, url: str, sql: str) -> list[str]:
        """The lines of a statement's result."""
        done = subprocess.run(self.psql(url), input=sql, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"psql: {done.stderr.strip()}")
        return done.stdout.splitlines()

    def all_have_database(self) -> bool:
        """libpq does not try the next host if a host lacks the database."""
        sql = "SELECT 1 FROM pg_database WHERE datname = 'fave_games'"
        try:
            return all(self.query(self.url_of(name), sql) for name in NAMES)
        except Failure:
            return False


# Neither from nor through a proxy of the environment.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def request(
    url: str, body: str | None = None, fields: dict[str, str] | None = None, timeout: float = 3
) -> str:
    """What a response with a status of success says; raises OSError or HTTPException."""
    data = None if body is None else body.encode()
    asked = urllib.request.Request(url, data, fields or {})
    with opener.open(asked, timeout=timeout) as response:
        return str(response.read().decode())
