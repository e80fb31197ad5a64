import Glibc

